import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct WaitingTests {
    private func request(_ server: ScriptedServer, _ timeouts: Timeouts) -> TransportRequest {
        let head = HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: "/")
        return TransportRequest(head: head, timeouts: timeouts)
    }

    private func failure(_ engine: Engine, _ request: TransportRequest) async -> String {
        do {
            _ = try await engine.send(request) { response in response.head.status }
            return "no failure"
        } catch {
            return "\(error)"
        }
    }

    @Test
    func `Each call fails at its own deadline, even if others wait for the same server`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            async let patient = failure(engine, request(server, Timeouts(tls: .seconds(3))))
            _ = try await server.connection(0)
            async let hasty = failure(engine, request(server, Timeouts(tls: .milliseconds(200))))
            #expect(await hasty.contains("200 ms"))
            #expect(await patient.contains("3 s"))
        }
    }

    @Test
    func `The queue timeout does not include the time to open a connection`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let timeouts = Timeouts(queue: .seconds(2), tls: .seconds(3))
            #expect(await failure(engine, request(server, timeouts)).contains("TLS handshake"))
        }
    }

    @Test
    func `Cancelling a shutdown ends it immediately`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            let engine = Engine()
            async let call = failure(engine, request(server, Timeouts(tls: nil, total: nil)))
            _ = try await server.connection(0)
            let shutdown = Task { await engine.shutdown(grace: .seconds(600)) }
            shutdown.cancel()
            try await withDeadline(.patience, "the shutdown to end") { await shutdown.value }
            #expect(await call.contains("closed"))
        }
    }
}
