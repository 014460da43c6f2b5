import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct BodyWriterTests {
    private static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 7) })

    /// Returns its bytes in pieces of random sizes, and sometimes refuses to read without blocking.
    private final class SlowReader: BodyReader {
        private let content: Data
        private let failsAt: Int?
        private let state: Locked<(position: Int, random: SeededGenerator)>

        init(_ content: Data, seed: UInt64, failsAt: Int? = nil) {
            self.content = content
            self.failsAt = failsAt
            state = Locked((0, SeededGenerator(seed: seed)))
        }

        func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws -> Int? {
            try state.withLock { state in
                if !mayWait, Bool.random(using: &state.random) { return nil }
                if let failsAt, state.position >= failsAt { throw Broken() }
                let most = Swift.min(bytes.count, Int.random(in: 1...100_000, using: &state.random))
                let piece = content.dropFirst(state.position).prefix(most)
                piece.copyBytes(to: bytes)
                state.position += piece.count
                return piece.count
            }
        }
    }

    private struct Broken: Error {}

    private static let answering: Script = [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ]

    private func send(_ body: BodyStream, toPort port: Int, by engine: Engine) async throws -> HTTPResponse {
        let head = HTTPRequest(method: .put, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
        // Without a limit of the complete exchange, which a busy machine can exceed, the exchange ends when it makes no progress.
        let request = TransportRequest(head: head, body: .stream(body), timeouts: Timeouts(total: nil))
        return try await engine.send(request) { response in response.head }
    }

    @Test(arguments: 1...10, [true, false])
    func `A body is sent completely, even if reading has to wait`(seed: UInt64, isAnnounced: Bool) async throws {
        let body = BodyStream(length: isAnnounced ? Int64(Self.content.count) : nil) {
            SlowReader(Self.content, seed: seed)
        }
        try await withScriptedServer([Self.answering]) { server in
            let engine = Engine()
            defer { engine.close() }
            let response = try await send(body, toPort: server.port, by: engine)
            #expect(response.status == .ok)
            #expect(server.requests.map { Data($0.body) } == [Self.content])
        }
    }

    @Test(arguments: 1...5)
    func `A body is sent completely over HTTP/2`(seed: UInt64) async throws {
        let body = BodyStream(length: Int64(Self.content.count)) { SlowReader(Self.content, seed: seed) }
        try await withScriptedServer([Self.answering]) { server in
            try await withHTTP2Front(to: server.port, tls: nil) { port in
                let engine = Engine(configuration: TransportConfiguration(httpVersions: .http2))
                defer { engine.close() }
                let response = try await send(body, toPort: port, by: engine)
                #expect(response.status == .ok)
                #expect(server.requests.map { Data($0.body) } == [Self.content])
            }
        }
    }

    @Test(arguments: 1...5)
    func `An error thrown by the reader fails the call`(seed: UInt64) async throws {
        try await withScriptedServer([[.receiveRequest, .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let body = BodyStream(length: Int64(Self.content.count)) {
                SlowReader(Self.content, seed: seed, failsAt: 1_000_000)
            }
            let error = await #expect(throws: NetworkError.self) {
                try await send(body, toPort: server.port, by: engine)
            }
            #expect(error?.failure.underlying is Broken)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test(arguments: [-1, 1])
    func `A body with fewer or more bytes than announced fails the call`(difference: Int64) async throws {
        try await withScriptedServer([[.receiveRequest, .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let body = BodyStream(length: Int64(Self.content.count) + difference) { SlowReader(Self.content, seed: 1) }
            let error = await #expect(throws: NetworkError.self) {
                try await send(body, toPort: server.port, by: engine)
            }
            #expect("\(error, default: "")".contains("was announced as"))
        }
    }
}
