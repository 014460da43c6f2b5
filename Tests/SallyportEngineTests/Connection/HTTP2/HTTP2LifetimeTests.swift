import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct HTTP2LifetimeTests {
    private static let pending: HTTP2Script = .greeting() + [.receiveRequest(1), .receiveReset(1)] + .answer()

    @Test
    func `A cancelled call resets its stream, and the connection stays open`() async throws {
        try await HTTP2Bench.serve(Self.pending) { bench in
            let call = Task { try await bench.answer() }
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(1)
            call.cancel()
            await expectError(\NetworkError.kind, "cancelled") { try await call.value }
            try await bench.expectOK()
            #expect(connection.stream(1).resetCode == 8)
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `The connection is usable after 200 calls cancelled at random moments`() async throws {
        let script: HTTP2Script = .greeting() + [.repeating([.receiveHead(.next)] + .response(), times: 100_000)]
        try await HTTP2Bench.serve(script) { bench in
            try await bench.expectOK()
            for number in 0..<200 {
                let call = Task { try await bench.answer("/\(number)") }
                for _ in 0..<(number % 20) { await Task.yield() }
                call.cancel()
                if case .failure(let error) = await call.result {
                    guard case NetworkError.cancelled = error else {
                        Issue.record("the call failed with \(error)")
                        continue
                    }
                }
            }
            try await bench.expectOK("/last")
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `A connection is abandoned after two calls that time out`() async throws {
        let silent: HTTP2Script = .answers(1) + [.ignorePings, .receiveRequest(3), .receiveRequest(5), .stall]
        try await HTTP2Bench.serve(silent, .answers(1)) { bench in
            try await bench.expectOK()
            for _ in 0..<2 {
                await bench.expectFailure(.timeout, of: bench.request(timeouts: Timeouts(total: .seconds(1))))
            }
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 2)
        }
    }

    enum Limit: CaseIterable, Sendable { case head, total }

    @Test(arguments: Limit.allCases)
    func `A call that times out resets its stream, and the connection stays open`(limit: Limit) async throws {
        let script: HTTP2Script = .answers(1) + [.receiveRequest(3), .receiveReset(3)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            // Connect first, so that connecting does not use up the timeout.
            try await bench.expectOK()
            let short = Duration.seconds(1)
            let timeouts = limit == .head ? Timeouts(head: short, total: nil) : Timeouts(total: short)
            await bench.expectFailure(.timeout, of: bench.request(timeouts: timeouts))
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `A body without data times out even if another stream is active`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .data(1, "start"), .receiveRequest(3), .head(3)]
            + [.repeating([.data(3, "x"), .receiveFrames(.headers, count: 2)], times: 20), .receiveReset(1)]
            + [.data(3, "end", end: true)]
        try await HTTP2Bench.serve(script) { bench in
            let idle = bench.request(timeouts: Timeouts(idle: .seconds(2), total: .patience))
            async let silent = bench.expectFailure(.timeout, of: idle)
            try await bench.server.connection(0).waitForStreams(1)
            let lively = try await bench.answer()
            #expect(lively.text == String(repeating: "x", count: 20) + "end")
            #expect(await silent?.phase == .body)
        }
    }

    @Test
    func `Closing the engine fails all calls and sends GOAWAY`() async throws {
        try await HTTP2Bench.serve(.greeting() + [.stall]) { bench in
            async let first = bench.expectFailure(.clientClosed)
            async let second = bench.expectFailure(.clientClosed)
            async let third = bench.expectFailure(.clientClosed)
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(3)
            bench.engine.close()
            _ = await (first, second, third)
            try await connection.waitUntilClosedByClient()
            #expect(!connection.frames(.goAway).isEmpty)
            await bench.expectFailure(.clientClosed)
        }
    }

    @Test
    func `Shutting down lets running calls finish and refuses new ones`() async throws {
        let proceed = Signal()
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .receiveRequest(3), .waitFor(proceed)] + .response(1) + .response(3)
        try await HTTP2Bench.serve(script) { bench in
            async let first: Void = bench.expectOK()
            async let second: Void = bench.expectOK()
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(2)
            async let end: Void = bench.engine.shutdown(grace: .patience)
            while HTTP2FailureKind(await failure(bench)) != .clientClosed {}
            proceed.fire()
            _ = try await (first, second)
            await end
            try await connection.waitUntilClosedByClient()
            #expect(bench.engine.connectionCount == 0)
        }
    }

    private func failure(_ bench: HTTP2Bench) async -> NetworkError {
        do {
            _ = try await bench.answer(bench.request(timeouts: Timeouts(total: .milliseconds(200))))
            return .networkError("no failure")
        } catch {
            return NetworkError(wrapping: error, reason: "unexpected error")
        }
    }

    @Test
    func `Shutting down fails calls that exceed the grace period`() async throws {
        try await HTTP2Bench.serve(.greeting() + [.stall]) { bench in
            async let failure = bench.expectFailure(.clientClosed)
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(1)
            await bench.engine.shutdown(grace: .milliseconds(100))
            _ = await failure
            try await connection.waitUntilClosedByClient()
        }
    }

    @Test
    func `An idle connection is closed after its timeout`() async throws {
        let configuration = TransportConfiguration(connections: ConnectionLimits(idle: .milliseconds(50)))
        try await HTTP2Bench.serve(.answers(1), configuration: configuration) { bench in
            _ = try await bench.answer()
            try await bench.server.connection(0).waitUntilClosedByClient()
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 2)
        }
    }

    @Test
    func `An unanswered PING fails the connection and its calls`() async throws {
        let configuration = TransportConfiguration(connections: ConnectionLimits(ping: .seconds(1)))
        let script: HTTP2Script = .greeting() + [.ignorePings, .receiveRequest(1), .stall]
        try await HTTP2Bench.serve(script, .answers(1), configuration: configuration) { bench in
            await bench.expectFailure(.connectionLost, of: bench.request(.post), saying: "PING")
            let connection = try await bench.server.connection(0)
            try await connection.waitUntilClosedByClient()
            #expect(!connection.frames(.ping).isEmpty)
            try await bench.expectOK()
        }
    }

    @Test
    func `A slow server that responds to PINGs keeps its connection`() async throws {
        let configuration = TransportConfiguration(connections: ConnectionLimits(ping: .seconds(1)))
        let script: HTTP2Script = .greeting() + [.receiveRequest(1), .receiveFrames(.ping, count: 2)] + .response(1)
        try await HTTP2Bench.serve(script, configuration: configuration) { bench in
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `A connection closed by the server while idle is not reused`() async throws {
        try await HTTP2Bench.serve(.answers(1) + [.close], .answers(1)) { bench in
            try await bench.expectOK()
            try await bench.server.connection(0).waitUntilClosed()
            try await bench.expectOK(bench.request(.post))
            #expect(bench.server.acceptedConnections == 2)
        }
    }

    @Test(arguments: [true, false]
    )
    func `On a stale connection a GET is retried on a new connection, and a POST fails`(isSafe: Bool) async throws {
        try await HTTP2Bench.serve(.answers(1) + [.receiveRequest(3), .reset], .answers(1)) { bench in
            try await bench.expectOK()
            if isSafe {
                try await bench.expectOK()
            } else {
                await bench.expectFailure(.connectionLost, of: bench.request(.post))
                #expect(bench.server.acceptedConnections == 1)
            }
        }
    }

    @Test
    func `After a cancelled call a protocol violation fails the other calls`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .receiveRequest(3), .receiveReset(1), .send(.data(0, [1]))]
        try await HTTP2Bench.serve(script) { bench in
            let call = Task { try await bench.answer() }
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(1)
            async let failure = bench.expectFailure(.invalidResponse)
            try await connection.waitForStreams(2)
            call.cancel()
            _ = await failure
        }
    }

    @Test
    func `A call waiting for an unresponsive connection is run on another`() async throws {
        let configuration = TransportConfiguration(connections: ConnectionLimits(ping: .seconds(1)))
        let script: HTTP2Script = .greeting([.maxConcurrentStreams: 1]) + [.ignorePings, .receiveRequest(1), .stall]
        try await HTTP2Bench.serve(script, .answers(1), configuration: configuration) { bench in
            async let lost = bench.expectFailure(.connectionLost, of: bench.request(.post), saying: "PING")
            try await bench.server.connection(0).waitForStreams(1)
            try await bench.expectOK(bench.request(.post))
            _ = await lost
        }
    }

    @Test
    func `Frames in transit for cancelled calls do not end the connection`() async throws {
        let numbers = (0..<99).map { $0 * 2 + 1 }
        let script: HTTP2Script =
            .greeting() + [.receiveHeads(count: 100)] + numbers.map { .head(.number($0)) }
            + [.receiveFrames(.reset, count: 99), .sendBytes(numbers.flatMap { WireFrame.data($0, [1]).bytes })]
            + .response(199)
        try await HTTP2Bench.serve(script) { bench in
            let calls = numbers.map { _ in Task { try await bench.answer() } }
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(99)
            async let last: Void = bench.expectOK()
            try await connection.waitForStreams(100)
            for call in calls { call.cancel() }
            try await last
        }
    }

    @Test
    func `The queue timeout of a retried call starts again`() async throws {
        let proceed = Signal()
        let script: HTTP2Script = .answers(1) + [.receiveRequest(3), .receiveRequest(5), .waitFor(proceed), .reset]
        try await HTTP2Bench.serve(script, .answers(2)) { bench in
            try await bench.expectOK()
            let timeouts = Timeouts(queue: .seconds(1))
            async let first: Void = bench.expectOK(bench.request(timeouts: timeouts))
            async let second: Void = bench.expectOK(bench.request(timeouts: timeouts))
            try await bench.server.connection(0).waitForStreams(3)
            try await Task.sleep(for: .milliseconds(1_100))
            proceed.fire()
            _ = try await (first, second)
        }
    }
}
