import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@Suite(.concurrencyLimited) struct UnixSocketTests {
    private static let answers: Script = [.repeating([.receiveRequest, .send(ProxyBench.ok)], times: 100)]

    /// Runs a closure with an engine whose connections use the socket of a scripted server.
    private func withSocket(
        tls: ServerTLS? = nil,
        security: TransportSecurity = TransportSecurity(),
        proxy: ProxyPolicy = .direct,
        _ body: @escaping @Sendable (Engine, ScriptedServer, String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.appendingPathComponent("server.sock").path
            try await withScriptedServer([Self.answers], tls: tls, socket: path) { server in
                let configuration = TransportConfiguration(security: security, proxy: proxy, unixSocketPath: path)
                let engine = Engine(configuration: configuration)
                try await body(engine, server, path)
                await engine.shutdown(grace: .seconds(5))
            }
        }
    }

    @Test func `Requests to all hosts are sent to the socket with the host of their URL, and reuse its connections`()
        async throws
    {
        try await withSocket(proxy: .proxy(try Proxy("http://127.0.0.1:1"))) { engine, server, path in
            for (number, host) in ["server.invalid", "server.invalid", "other.invalid:8080"].enumerated() {
                let answer = try await ProxyBench.get("http://\(host)/a", by: engine)
                #expect(answer.text == "ok")
                #expect(answer.connection.remoteAddress == "unix:\(path)")
                #expect(answer.connection.isReused == (number == 1))
            }
            #expect(server.requests.map(\.target) == ["/a", "/a", "/a"])
            let hosts = server.requests.flatMap { $0["Host"] }
            #expect(hosts == ["server.invalid", "server.invalid", "other.invalid:8080"])
        }
    }

    @Test func `The host of the URL determines the certificate of TLS over a socket`() async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity(hosts: ["api.example.test"]))
        let security = TransportSecurity(trustRoots: .pem(authority.certificatePEM))
        try await withSocket(tls: tls, security: security) { engine, _, _ in
            #expect(try await ProxyBench.get("https://api.example.test/", by: engine).text == "ok")
            let other = try await ProxyBench.failure("https://other.example.test/", by: engine)
            #expect(other.kind == "certificateRefused")
        }
    }

    @Test func `A request that requires a secure transport is sent to a socket without TLS`() async throws {
        try await withSocket { engine, _, _ in
            let head = HTTPRequest(method: .get, scheme: "http", authority: "server.invalid", path: "/")
            let request = TransportRequest(head: head, timeouts: .patient, requiresSecureTransport: true)
            let status = try await engine.send(request) { $0.head.status.code }
            #expect(status == 200)
        }
    }

    @Test func `The error names a socket that does not exist, and a path that is too long is refused`() async throws {
        let path = "/nowhere/server.sock"
        let engine = Engine(configuration: TransportConfiguration(unixSocketPath: path))
        defer { engine.close() }
        let error = try await ProxyBench.failure("http://server.invalid/", by: engine)
        #expect(error.kind == "connectionFailed")
        #expect(error.failure.reason == "no connection to the Unix socket \(path): No such file or directory")
        for path in ["", "/" + String(repeating: "a", count: 200)] {
            let engine = Engine(configuration: TransportConfiguration(unixSocketPath: path))
            defer { engine.close() }
            #expect(try await ProxyBench.failure("http://server.invalid/", by: engine).kind == "invalidRequest")
        }
    }
}
