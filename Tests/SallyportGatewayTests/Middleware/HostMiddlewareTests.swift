import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct HostMiddlewareTests {
    /// Sends a request with the given header lines, and returns the status and the complete response.
    private func answer(
        _ address: GatewayAddress,
        _ headers: [String],
        target: String = "/health"
    ) async throws -> (status: Int, text: String) {
        let lines = ["GET \(target) HTTP/1.1"] + headers + ["Connection: close", "", ""]
        let text = try await exchange(port: address.port, lines.joined(separator: "\r\n"))
        return (try #require(Int(text.dropFirst("HTTP/1.1 ".count).prefix(3))), text)
    }

    @Test(arguments: [
        ("127.0.0.1:PORT", 200), ("127.0.0.1", 200), ("localhost:PORT", 200), ("LocalHost", 200), ("localhost.:1", 200),
        ("app.localhost", 200), ("[::1]:PORT", 200), ("[0:0:0:0:0:0:0:1]", 200),
        ("evil.example", 421), ("evil.example:PORT", 421), ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("evillocalhost", 421), ("0.0.0.0:PORT", 421), ("192.0.2.1", 421), ("[::2]", 421), ("2130706433", 421),
        ("", 400), ("localhost:x", 400), ("localhost:65536", 400), ("user@localhost", 400), ("[::1", 400),
        ("local\u{212A}ost", 400),
    ])
    func `A gateway on loopback serves only loopback names and addresses`(host: String, status: Int) async throws {
        try await Gateway.withRunning { (address) async throws in
            let host = host.replacing("PORT", with: "\(address.port)")
            let (got, text) = try await answer(address, ["Host: \(host)"])
            #expect(got == status)
            #expect((status == 421) == text.contains("does not serve this host"))
        }
    }

    @Test(arguments: [
        "/", "/files", "/files/a", "/development/rotate-keys", "/development/inbox", "/push/messages",
        "/.well-known/openid-configuration", "/nothing",
    ])
    func `No path is served for another host`(path: String) async throws {
        let server = try AuthorizationServer(.development())
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { (address) async throws in
            #expect(try await answer(address, ["Host: evil.example"], target: path).status == 421)
        }
    }

    @Test func `A request without a Host field or with two is refused`() async throws {
        try await Gateway.withRunning { (address) async throws in
            #expect(try await answer(address, []).status == 400)
            #expect(try await answer(address, ["Host: localhost", "Host: evil.example"]).status == 400)
            #expect(try await answer(address, ["Host: localhost", "host: localhost"]).status == 400)
        }
    }

    @Test func `The host of an absolute request target takes precedence over the Host field`() async throws {
        try await Gateway.withRunning { (address) async throws in
            let own = "http://127.0.0.1:\(address.port)/health"
            #expect(try await answer(address, ["Host: evil.example"], target: own).status == 200)
            #expect(try await answer(address, [], target: own).status == 200)
            for target in [
                "http://evil.example/health", "HTTP://evil.example", "http://evil.example?a=b", "x://evil.example/",
            ] {
                #expect(try await answer(address, ["Host: localhost"], target: target).status == 421)
            }
            for target in ["http://localhost@evil.example/health", "http://localhost:80@evil.example/health"] {
                #expect(try await answer(address, ["Host: localhost"], target: target).status == 400)
            }
        }
    }

    @Test func `A gateway on all addresses serves the called address, the issuer's host and allowed hosts`()
        async throws
    {
        var identity = try AuthorizationServerConfiguration.development()
        identity.issuer = "https://id.example.com/path"
        var configuration = GatewayConfiguration(
            host: "0.0.0.0",
            authorizationServer: try AuthorizationServer(identity)
        )
        configuration.allowedHosts = [try HostPattern("gateway.example.com"), try HostPattern("*.apps.example.com")]
        try await Gateway.withRunning(configuration) { (address) async throws in
            for host in [
                "127.0.0.1", "localhost", "id.example.com", "gateway.example.com:8080", "one.apps.example.com",
            ] {
                #expect(try await answer(address, ["Host: \(host)"]).status == 200)
            }
            for host in ["0.0.0.0", "example.com", "apps.example.com", "two.one.apps.example.com", "evil.example"] {
                #expect(try await answer(address, ["Host: \(host)"]).status == 421)
            }
        }
    }
}
