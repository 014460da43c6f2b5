import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct HTTP2FirstConnectionTests {
    private func request(_ authority: String) -> TransportRequest {
        TransportRequest(head: HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/"))
    }

    private func answers(_ count: Int, _ engine: Engine, _ authority: String) async throws {
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await engine.send(request(authority)) { response in
                        try await response.body.collect(upTo: 100)
                    }
                }
            }
            for try await body in group { #expect(body == Data("ok".utf8)) }
        }
    }

    private func withEngine(
        _ policy: HTTPVersionPolicy = .automatic,
        offering protocols: [String],
        _ body: @escaping @Sendable (Engine, ServerTLS) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity(), applicationProtocols: protocols)
        let security = TransportSecurity(trustRoots: .pem(authority.certificatePEM))
        let engine = Engine(configuration: TransportConfiguration(security: security, httpVersions: policy))
        defer { engine.close() }
        try await withDeadline(.patience, "the test to end") { try await body(engine, tls) }
    }

    @Test
    func `Concurrent calls to a new host open one connection if the server supports HTTP/2`() async throws {
        try await withEngine(offering: ["h2"]) { engine, tls in
            try await withScriptedHTTP2Server([.answers(50)], tls: tls) { server in
                try await answers(50, engine, server.authority)
                #expect(server.acceptedConnections == 1)
            }
        }
    }

    @Test
    func `Waiting calls get their own connections if the server supports only HTTP/1.1`() async throws {
        try await withEngine(offering: ["http/1.1"]) { engine, tls in
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            try await withScriptedServer([[.repeating([.receiveRequest, .send(ok)], times: 100)]], tls: tls) { server in
                try await answers(50, engine, server.authority)
                #expect(server.requests.count == 50)
                #expect((2...16).contains(server.acceptedConnections))
            }
        }
    }

    @Test
    func `HTTP/1.1 is used with a server that does not support ALPN`() async throws {
        try await withEngine(offering: []) { engine, tls in
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            try await withScriptedServer([[.repeating([.receiveRequest, .send(ok)], times: 100)]], tls: tls) { server in
                try await answers(3, engine, server.authority)
                #expect(server.requests.count == 3)
            }
        }
    }

    @Test(arguments: [[], ["http/1.1"]])
    func `With HTTP/2 required, an HTTP/1.1 server is refused`(protocols: [String]) async throws {
        try await withEngine(.http2, offering: protocols) { engine, tls in
            try await withScriptedServer([[.stall]], tls: tls) { server in
                await #expect {
                    try await engine.send(request(server.authority)) { $0.head.status.code }
                } throws: { error in
                    if case NetworkError.tlsFailed = error { true } else { false }
                }
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test
    func `With HTTP/1.1 required, HTTP/2 is not offered`() async throws {
        try await withEngine(.http1, offering: ["h2", "http/1.1"]) { engine, tls in
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            try await withScriptedServer([[.receiveRequest, .send(ok)]], tls: tls) { server in
                try await answers(1, engine, server.authority)
            }
        }
    }

    @Test(arguments: 0..<20)
    func `Frames sent directly after the TLS handshake are received`(round: Int) async throws {
        try await withEngine(offering: ["h2"]) { engine, tls in
            try await withScriptedHTTP2Server([.answers(1)], tls: tls) { server in
                try await answers(1, engine, server.authority)
            }
        }
    }
}
