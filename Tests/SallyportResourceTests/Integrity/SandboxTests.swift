import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct SandboxTests {
    @Test func `A file that the sandbox prevents an app from creating is found if it exists`() {
        let path = "/private/sallyport-integrity"
        let probe = CompromisedDeviceProbe(CompromiseSigns(forbidden: [path]), files: FakeFiles.linux.with(path))
        #expect(throws: IntegrityError.deviceCompromised("\(path) exists, so the sandbox does not work")) {
            try probe.run()
        }
    }
}
