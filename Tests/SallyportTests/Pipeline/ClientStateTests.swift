import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct ClientStateTests {
    @Test(arguments: [true, false])
    func `Closing a client or its parent ends the wait for the close`(closesParent: Bool) async throws {
        let parent = ClientState()
        let child = ClientState(parent: parent)
        async let wait: Void = child.waitForClose()
        (closesParent ? parent : child).close()
        await wait
        expectError(\NetworkError.kind, "clientClosed") { try child.check() }
        await child.waitForClose()
    }

    @Test func `Cancelling the task ends the wait for the close and leaves the client open`() async throws {
        let state = ClientState()
        let wait = Task { await state.waitForClose() }
        wait.cancel()
        await wait.value
        try state.check()
    }
}
