import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct ResumeTests {
    @Test func `A link resumes the tree at the configured path, and only its identifier is sent`() async throws {
        let server = TreeServer()
        server.answer(.session())
        let journey = try server.journey()
        let link = "https://AM.example.com:443/am/XUI/?realm=/alpha&suspendedId=a%2Bb%26c&authIndexValue=Other#login"
        _ = try session(in: await journey.resume(url: link))
        #expect(
            server.transport.requests.map(\.url)
                == ["https://am.example.com\(TreeServer.realm)/authenticate?suspendedId=a%2Bb%26c"]
        )
        #expect(server.treeRequests.first?.body.isEmpty == true)
        #expect(server.treeRequests.first?.header("accept-api-version") == "resource=2.1, protocol=1.0")
    }

    @Test(arguments: [
        "https://am.example.com.evil.com/am?suspendedId=s", "https://evil-am.example.com/am?suspendedId=s",
        "https://xam.example.com/?suspendedId=s", "https://example.com/am?suspendedId=s",
        "http://am.example.com/am?suspendedId=s", "https://am.example.com:8443/am?suspendedId=s",
        "https://evil.com/https://am.example.com/am?suspendedId=s", "https://аm.example.com/am?suspendedId=s",
    ])
    func `A link to a look-alike server is refused, and nothing is sent`(_ link: String) async throws {
        let server = TreeServer()
        let journey = try server.journey()
        let error = await expectError(\JourneyError.kind, "foreignLink") { try await journey.resume(url: link) }
        #expect(error?.description.contains("https://am.example.com") == true)
        #expect(server.transport.requests.isEmpty)
    }

    @Test(arguments: [
        "", "suspendedId=s", "com.example.app://am.example.com/am?suspendedId=s", "https://am.example.com/am",
        "https://am.example.com/am?suspendedId=", "https://am.example.com/am?suspendedId=a&suspendedId=b",
        "https://am.example.com/am#suspendedId=s", "https://am.example.com@evil.com/am?suspendedId=s",
        "https://am.example.com/am?suspendedId=s&a=" + String(repeating: "a", count: 20_000),
    ])
    func `A text that is no link of a suspended tree is refused, and nothing is sent`(_ link: String) async throws {
        let server = TreeServer()
        let journey = try server.journey()
        await expectError(\JourneyError.kind, "invalidLink") { try await journey.resume(url: link) }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `An expired link is a failure of its own kind`() async throws {
        let server = TreeServer()
        server.answer(.treeFailure("SuspendedAuthSessionException: expired"))
        let failure = try failure(in: await server.journey().resume(url: TreeServer.base + "?suspendedId=s"))
        #expect(failure.kind == .expiredSuspension)
    }
}
