import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HTTP2StreamsTests {
    @Test
    func `Concurrent calls share one connection`() async throws {
        let script: HTTP2Script = .greeting() + [.receiveHeads(count: 100), .repeating(.answer(), times: 100)]
        try await HTTP2Bench.serve(script) { bench in
            try await bench.answers(100)
            #expect(bench.server.acceptedConnections == 1)
            let connection = try await bench.server.connection(0)
            #expect(connection.streamNumbers == (0..<100).map { 2 * $0 + 1 })
            #expect(Set(connection.streams.map(\.path)).count == 100)
        }
    }

    @Test
    func `Consecutive calls share one connection`() async throws {
        try await HTTP2Bench.serve(.answers(1_000)) { bench in
            for _ in 0..<1_000 { _ = try await bench.answer() }
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `The number of open streams stays within the server's limit, and other calls wait`() async throws {
        let script: HTTP2Script =
            .greeting([.maxConcurrentStreams: 3]) + .answer()
            + [.receiveHeads(count: 4), .repeating(.answer(), times: 29)]
        let configuration = TransportConfiguration(connections: ConnectionLimits(perHost: 1))
        try await HTTP2Bench.serve(script, configuration: configuration) { bench in
            // The first response proves that the client has received the limit.
            _ = try await bench.answer()
            try await bench.answers(29)
            let connection = try await bench.server.connection(0)
            #expect(bench.server.acceptedConnections == 1)
            #expect(connection.largestConcurrency <= 3)
        }
    }

    @Test
    func `A lowered limit of the server applies to later streams`() async throws {
        let lowered: HTTP2Script =
            [.receiveRequest(.next), .settings([.maxConcurrentStreams: 1]), .receiveFrames(.settings, count: 3)]
            + .response()
        let script: HTTP2Script = .greeting() + lowered + [.repeating(.answer(), times: 10)]
        let configuration = TransportConfiguration(connections: ConnectionLimits(perHost: 1))
        try await HTTP2Bench.serve(script, configuration: configuration) { bench in
            _ = try await bench.answer()
            try await bench.answers(10)
            let connection = try await bench.server.connection(0)
            #expect(connection.largestConcurrency == 1)
        }
    }

    @Test
    func `Each SETTINGS frame of the server is acknowledged`() async throws {
        let script: HTTP2Script =
            .greeting([.maxConcurrentStreams: 7]) + [.settings([.initialWindowSize: 100_000])]
            + .answers(1).dropGreeting
        try await HTTP2Bench.serve(script) { bench in
            try await bench.expectOK()
            let connection = try await bench.server.connection(0)
            try await connection.waitForFrame("two acknowledgements", count: 2) { frame in
                frame.kind == .settings && frame.flags == WireFrame.acknowledgement
            }
        }
    }

    @Test
    func `The client's SETTINGS disable push`() async throws {
        try await HTTP2Bench.serve(.answers(1)) { bench in
            _ = try await bench.answer()
            let settings = try #require(try await bench.server.connection(0).frames(.settings).first)
            #expect(settings.payload.chunks(of: 6).contains([0, 2, 0, 0, 0, 0]))
        }
    }

    @Test
    func `A PING is acknowledged with its payload`() async throws {
        let payload: [UInt8] = [9, 8, 7, 6, 5, 4, 3, 2]
        let script: HTTP2Script = .greeting() + [.receiveRequest(.next), .send(.ping(payload))] + .response()
        try await HTTP2Bench.serve(script) { bench in
            _ = try await bench.answer()
            let connection = try await bench.server.connection(0)
            try await connection.waitForFrame("the response to the PING") {
                $0 == .ping(payload, isAcknowledgement: true)
            }
        }
    }

    @Test
    func `Without a server limit, calls beyond 100 streams wait`() async throws {
        try await HTTP2Bench.serve(.greeting() + [.stall]) { bench in
            let calls = (0..<100).map { _ in Task { try await bench.answer() } }
            defer { for call in calls { call.cancel() } }
            try await bench.server.connection(0).waitForStreams(100)
            let waiting = bench.request(timeouts: Timeouts(queue: .milliseconds(100), total: .patience))
            let failure = await bench.expectFailure(.timeout, of: waiting)
            #expect(failure?.phase == .queue)
        }
    }
}

extension [HTTP2Step] {
    /// The frames without the prefaces and SETTINGS.
    var dropGreeting: HTTP2Script { HTTP2Script(dropFirst(HTTP2Script.greeting().count)) }
}

extension [UInt8] {
    func chunks(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
