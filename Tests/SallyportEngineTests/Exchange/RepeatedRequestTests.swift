import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing

/// Requests that the engine sends again, while the server accepts no further connections.
@Suite(.concurrencyLimited) struct RepeatedRequestTests {
    private func expectRefusedConnection(_ call: () async throws -> Void) async {
        let error = await #expect(throws: NetworkError.self) { try await call() }
        guard case .connectionFailed(let failure)? = error else {
            Issue.record("unexpected error: \(String(describing: error))")
            return
        }
        #expect(failure.mayHaveBeenSentEarlier)
        #expect(failure.description.contains("the request may have been sent before"))
    }

    @Test func `The error of a request that was refused with GOAWAY states that it may have been sent`() async throws {
        let isStopped = Signal()
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .waitFor(isStopped), .send(.goAway(last: 0))]
        try await HTTP2Bench.serve(script) { bench in
            try await withCountingProxy(toPort: bench.server.port, count: { _ in }) { proxy in
                var request = bench.request(.post, body: .data(Data("pay".utf8)))
                request.head.authority = "127.0.0.1:\(proxy.port)"
                async let call: Void = expectRefusedConnection { [request] in _ = try await bench.answer(request) }
                try await bench.server.connection(0).waitForStream(1, "the request") { $0.isEnded }
                try await proxy.stopListening()
                isStopped.fire()
                await call
            }
        }
    }

    @Test func `The error of a request whose reused connection was closed states that it may have been sent`()
        async throws
    {
        let (isReceived, isStopped) = (Signal(), Signal())
        let script: Script = [
            .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .receiveRequest, .fire(isReceived), .waitFor(isStopped), .close,
        ]
        let engine = Engine(configuration: TransportConfiguration())
        defer { engine.close() }
        try await withScriptedServer([script]) { server in
            try await withCountingProxy(toPort: server.port, count: { _ in }) { proxy in
                @Sendable func put() async throws {
                    let authority = "127.0.0.1:\(proxy.port)"
                    let head = HTTPRequest(method: .put, scheme: "http", authority: authority, path: "/")
                    let request = TransportRequest(head: head, body: .data(Data("pay".utf8)), timeouts: .patient)
                    _ = try await engine.send(request) { try await $0.body.collect(upTo: 10) }
                }
                try await put()
                async let call: Void = expectRefusedConnection { try await put() }
                try await isReceived.wait()
                try await proxy.stopListening()
                isStopped.fire()
                await call
            }
        }
    }
}
