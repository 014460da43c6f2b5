import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

/// Tests the error messages for broken connections. NIO's own errors name functions of its sources.
@Suite(.concurrencyLimited) struct BrokenConnectionTests {
    private func failure(
        of script: Script,
        scheme: String = "http",
        whenReading: @escaping @Sendable () -> Void = {}
    ) async throws -> NetworkError? {
        try await withScriptedServer([script]) { server in
            let engine = Engine(configuration: TransportConfiguration())
            defer { engine.close() }
            let head = HTTPRequest(method: .post, scheme: scheme, authority: server.authority, path: "/")
            return await #expect(throws: NetworkError.self) {
                try await engine.send(TransportRequest(head: head, timeouts: .patient)) { response in
                    for try await _ in response.body { whenReading() }
                }
            }
        }
    }

    @Test func `The error for a reset before the response states that the server reset the connection`() async throws {
        let error = try await failure(of: [.receiveHead, .reset])
        guard case .connectionLost(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason == "the connection broke: the server reset the connection")
    }

    @Test(arguments: [("", true), ("HTTP/1.1 103 Early Hints\r\n\r\n", false)])
    func `The error for a server that closes without an answer suggests https, unless it understood the request`(
        answer: String,
        suggestsTLS: Bool
    ) async throws {
        let error = try await failure(of: [.receiveHead, .send(answer), .close])
        guard case .connectionLost(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason == "the server closed the connection before it answered")
        #expect(failure.advice == (suggestsTLS ? "check the port, or use https if the server expects TLS" : nil))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Le", "27 B"), ("H", "1 B"),
        ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 20", "11 B"),
    ])
    func `The error for a head that is cut off states how much of it arrived`(start: String, size: String) async throws
    {
        let error = try await failure(of: [.receiveHead, .send(start), .close])
        guard case .connectionLost(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            failure.reason
                == "the server closed the connection after \(size) of the response's head, which is incomplete"
        )
        #expect(failure.phase == .head)
    }

    @Test func `The error for a reset within the body states that the server reset the connection`() async throws {
        let isRead = Signal()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"
        let error = try await failure(of: [.receiveHead, .send(head), .waitFor(isRead), .reset]) { isRead.fire() }
        guard case .incompleteBody(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            failure.reason == "the connection broke (the server reset the connection) before the body was complete"
        )
    }

    @Test func `The error for a reset within the TLS handshake states that the server reset the connection`()
        async throws
    {
        let error = try await failure(of: [.receiveBody(1), .reset], scheme: "https")
        guard case .tlsFailed(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason == "the TLS handshake with 127.0.0.1 failed: the server reset the connection")
    }
}
