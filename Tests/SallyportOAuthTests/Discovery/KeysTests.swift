import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct KeysTests {
    private let time = Locked(MockIdentityServer.now)

    private func server(_ identity: MockIdentityServer) -> OAuthServer {
        identity.client { config in config.clock = .immediate { self.time.withLock { $0 } } }.server
    }

    @Test func `Keys are cached while they include the requested key ID`() async throws {
        let identity = try MockIdentityServer()
        let server = server(identity)
        for _ in 0..<5 { #expect(try await server.keys(including: "k1").keys.map(\.keyID) == ["k1"]) }
        _ = try await server.keys()
        #expect(identity.count("/keys") == 1)
    }

    @Test func `Keys are fetched again for an unknown key ID`() async throws {
        let identity = try MockIdentityServer()
        let server = server(identity)
        _ = try await server.keys(including: "k1")
        identity.publish([try SigningKey.generate(.es256, keyID: "k2")])
        #expect(try await server.keys(including: "k2").keys.map(\.keyID) == ["k2"])
        #expect(identity.count("/keys") == 2)
    }

    @Test func `Unknown key IDs cause a fetch at most every ten seconds`() async throws {
        let identity = try MockIdentityServer()
        let server = server(identity)
        for number in 0..<100 { #expect(try await server.keys(including: "x\(number)").keys.count == 1) }
        #expect(identity.count("/keys") == 2)
        time.withLock { $0 += 10 }
        _ = try await server.keys(including: "x")
        #expect(identity.count("/keys") == 3)
    }

    @Test func `Setting the clock back does not extend the caching of keys`() async throws {
        let identity = try MockIdentityServer()
        let server = server(identity)
        _ = try await server.keys(including: "x")
        #expect(identity.count("/keys") == 2)
        time.withLock { $0 -= 1_000_000 }
        _ = try await server.keys()
        #expect(identity.count("/keys") == 3)
        _ = try await server.keys(including: "x")
        #expect(identity.count("/keys") == 4)
    }

    @Test(arguments: ["", "[]", "{}", "<html>"])
    func `A response that is not a key set is refused`(body: String) async throws {
        let identity = try MockIdentityServer()
        identity.transport.on(.get, "/keys", .text(body))
        let error = try await oauthError { _ = try await server(identity).keys() }
        #expect(error.description.contains("the server's keys cannot be read"))
    }
}
