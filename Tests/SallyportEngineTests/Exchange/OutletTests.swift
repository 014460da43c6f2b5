import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite("Bodies that the connection reads as it sends")
struct OutletTests {
    private static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 7) })

    /// Gives its bytes in pieces of any size, and now and then not without waiting.
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

    private func send(_ body: RequestBody, to server: ScriptedServer, by engine: Engine) async throws -> HTTPResponse {
        let head = HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/")
        return try await engine.send(TransportRequest(head: head, body: body)) { response in response.head }
    }

    @Test("They arrive whole, wherever they have to be waited for", arguments: 1...10, [true, false])
    func arrivesWhole(seed: UInt64, isAnnounced: Bool) async throws {
        try await withScriptedServer([[.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]]) {
            server in
            let engine = Engine()
            defer { engine.close() }
            let body = BodyStream(length: isAnnounced ? Int64(Self.content.count) : nil) {
                SlowReader(Self.content, seed: seed)
            }
            #expect(try await send(.stream(body), to: server, by: engine).status == .ok)
            let received = try #require(await server.requests.first)
            #expect(Data(received.body) == Self.content)
        }
    }

    @Test("One that cannot be read to its end fails the call", arguments: 1...5)
    func fails(seed: UInt64) async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let body = BodyStream(length: Int64(Self.content.count)) {
                SlowReader(Self.content, seed: seed, failsAt: 1_000_000)
            }
            let error = await #expect(throws: NetworkError.self) {
                try await send(.stream(body), to: server, by: engine)
            }
            #expect(error?.failure.underlying is Broken)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("One with fewer or more bytes than were announced fails the call", arguments: [-1, 1])
    func wrongLength(difference: Int64) async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let body = BodyStream(length: Int64(Self.content.count) + difference) { SlowReader(Self.content, seed: 1) }
            let error = await #expect(throws: NetworkError.self) {
                try await send(.stream(body), to: server, by: engine)
            }
            #expect("\(error, default: "")".contains("was announced as"))
        }
    }
}
