import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct ClientStateTests {
    @Test(arguments: [true, false])
    func `A wait ends when the client is closed, or the one that it is of`(closesParent: Bool) async throws {
        let parent = ClientState()
        let child = ClientState(parent: parent)
        async let wait: Void = child.waitForClose()
        (closesParent ? parent : child).close()
        await wait
        expectError(\NetworkError.kind, "clientClosed") { try child.check() }
        await child.waitForClose()
    }

    @Test func `A wait ends when its task is cancelled, and the client stays open`() async throws {
        let state = ClientState()
        let wait = Task { await state.waitForClose() }
        wait.cancel()
        await wait.value
        try state.check()
    }
}
