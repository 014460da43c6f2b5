import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct DeadlineTests {
    /// With HTTP/2 the connection's own PINGs would hide a missed deadline.
    private static func configuration(_ versions: HTTPVersionPolicy) -> TransportConfiguration {
        var configuration = TransportConfiguration(connections: ConnectionLimits(ping: nil))
        configuration.httpVersions = versions
        return configuration
    }

    private func expectTimeout(
        _ versions: HTTPVersionPolicy,
        at authority: String,
        body: RequestBody = .none,
        timeouts: Timeouts,
        _ read: @escaping @Sendable (TransportResponse) async throws -> Void = { _ in }
    ) async throws {
        let engine = Engine(configuration: Self.configuration(versions))
        defer { engine.close() }
        let head = HTTPRequest(method: .put, scheme: "http", authority: authority, path: "/")
        let request = TransportRequest(head: head, body: body, timeouts: timeouts)
        let error = try await withDeadline(.patience, "the timeout") {
            await #expect(throws: NetworkError.self) { try await engine.send(request) { try await read($0) } }
        }
        #expect(error.map { HTTP2FailureKind($0) } == .timeout)
    }

    @Test func `A request is not sent if its time is over when the connection is ready`() async throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "server", path: "/")
        let request = TransportRequest(head: head, timeouts: Timeouts(total: .milliseconds(1)))
        let exchange = Exchange(try OutgoingRequest(request, acceptEncoding: nil))
        let channel = EmbeddedChannel()
        let connection = try OfflineConnection.connect(channel, for: exchange)
        while NIODeadline.now() < exchange.deadline { await Task.yield() }
        connection.run(exchange)
        await exchange.waitForHead()
        let error = #expect(throws: NetworkError.self) { try exchange.head() }
        #expect(error.map { HTTP2FailureKind($0) } == .timeout)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        channel.close(promise: nil)
    }

    /// The idle timeout would end the call too, but much later.
    private static let head = Timeouts(head: .milliseconds(100), idle: .seconds(60), total: nil)

    @Test
    func `The head timeout starts at the end of a streamed request body`() async throws {
        try await withScriptedServer([[.receiveRequest, .stall]]) { server in
            try await expectTimeout(.http1, at: server.authority, body: .produced(10), timeouts: Self.head)
        }
        try await withScriptedHTTP2Server([.greeting() + [.receiveRequest(1), .stall]]) { server in
            try await expectTimeout(.http2, at: server.authority, body: .produced(10), timeouts: Self.head)
        }
    }

    private static let idle = Timeouts(idle: .milliseconds(100), total: nil)

    /// Starts to read after more than the idle timeout, which does not apply while the caller does not read.
    private static func readLate(_ response: TransportResponse) async throws {
        try await Task.sleep(for: .milliseconds(400))
        _ = try await response.body.collect(upTo: 10 << 20)
    }

    @Test
    func `The idle timeout applies again when a paused reader resumes`() async throws {
        let size = 1 << 20
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(2 * size)\r\n\r\n" + String(repeating: "x", count: size)
        try await withScriptedServer([[.receiveRequest, .send(answer), .stall]]) { server in
            try await expectTimeout(.http1, at: server.authority, timeouts: Self.idle, Self.readLate)
        }
        let frames: HTTP2Script = [.receiveRequest(1), .head(1), .sendBody(1, size, end: false), .stall]
        try await withScriptedHTTP2Server([.greeting() + frames]) { server in
            try await expectTimeout(.http2, at: server.authority, timeouts: Self.idle, Self.readLate)
        }
    }
}
