import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.busy) struct HTTP2FlowControlTests {
    private static let total = 300_000

    /// Expects an upload to stop at a window, and to continue once the server enlarges it.
    private func upload(
        _ settings: [HTTP2SettingNumber: UInt32],
        stopsAt window: Int,
        goesOnBy updates: [HTTP2Step],
        body: RequestBody
    ) async throws {
        let proceed = Signal()
        let script: HTTP2Script =
            .greeting(settings) + [.receiveHead(.next), .receiveBody(.current, window), .waitFor(proceed)] + updates
            + [.receiveBody(.current, Self.total), .receiveRequest(1)] + .response()
        // The first call proves that the client has received the settings.
        try await HTTP2Bench.serve(.greeting(settings) + .answer() + script.dropGreeting.shifted) { bench in
            _ = try await bench.answer()
            async let answer = bench.answer(bench.request(.post, body: body))
            let connection = try await bench.server.connection(0)
            try await connection.waitForStream(3, "the window to be used up") { $0.body.count >= window }
            // Anything else that the client can send would precede its response to a PING.
            try await connection.send(.ping([1, 1, 1, 1, 1, 1, 1, 1]))
            try await connection.waitForFrame("the response to the PING") { $0.kind == .ping && $0.payload.first == 1 }
            #expect(connection.stream(3).body.count == window)
            proceed.fire()
            #expect(try await answer.text == "ok")
            #expect(connection.stream(3).body.count == Self.total)
        }
    }

    @Test(arguments: [true, false])
    func `An upload stops at its stream's window and continues when the window is enlarged`(isProduced: Bool)
        async throws
    {
        try await upload(
            [.initialWindowSize: 40_000],
            stopsAt: 40_000,
            goesOnBy: [.windowUpdate(.current, 1_000_000), .windowUpdate(.number(0), 1_000_000)],
            body: isProduced ? .produced(Self.total) : .data(Data(repeating: 120, count: Self.total))
        )
    }

    @Test
    func `An upload stops at the connection's window and continues when the window is enlarged`() async throws {
        try await upload(
            [.initialWindowSize: 1_000_000],
            stopsAt: 65_535,
            goesOnBy: [.windowUpdate(.number(0), 1_000_000)],
            body: .produced(Self.total)
        )
    }

    @Test
    func `SETTINGS received during an upload can enlarge its window`() async throws {
        try await upload(
            [.initialWindowSize: 10_000],
            stopsAt: 10_000,
            goesOnBy: [.windowUpdate(.number(0), 1_000_000), .settings([.initialWindowSize: 1_000_000])],
            body: .produced(Self.total)
        )
    }

    @Test
    func `An upload whose window became negative by SETTINGS waits until it is positive`()
        async throws
    {
        try await upload(
            [.initialWindowSize: 30_000],
            stopsAt: 30_000,
            goesOnBy: [
                .windowUpdate(.number(0), 1_000_000), .settings([.initialWindowSize: 0]),
                .windowUpdate(.current, 30_000), .windowUpdate(.current, 300_000),
            ],
            body: .produced(Self.total)
        )
    }

    @Test
    func `A paused reader stops the server within the flow-control window`() async throws {
        let total = 64 << 20
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .sendBody(1, total, end: true)]
        try await HTTP2Bench.serve(script) { bench in
            let read = try await bench.engine.send(bench.request()) { response in
                var iterator = response.body.makeAsyncIterator()
                var read = try await iterator.next()?.count ?? 0
                let connection = try await bench.server.connection(0)
                try await connection.settle { connection.sentBody(1) }
                let window = connection.allowedBody(1) - connection.stream(1).credit
                // At most one window is in transit, and at most another is buffered for the reader.
                #expect(connection.sentBody(1) - read <= 2 * window)
                #expect(connection.sentBody(1) < total)
                while let chunk = try await iterator.next() { read += chunk.count }
                return read
            }
            #expect(read == total)
        }
    }

    @Test
    func `A paused reader does not affect other calls on the same connection`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .sendBody(1, 1_000_000, end: false)]
            + [.repeating(.answer(), times: 20), .sendBody(1, 1_000_000, end: true)]
        try await HTTP2Bench.serve(script) { bench in
            let read = try await bench.engine.send(bench.request()) { response in
                var iterator = response.body.makeAsyncIterator()
                var read = try await iterator.next()?.count ?? 0
                for _ in 0..<20 { try await bench.expectOK() }
                while let chunk = try await iterator.next() { read += chunk.count }
                return read
            }
            #expect(read == 2_000_000)
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `Discarding a body restores the connection's window`() async throws {
        let one: HTTP2Script = [
            .receiveRequest(.next), .head(), .sendBody(.current, 1 << 20, end: false), .receiveReset(.current),
        ]
        try await HTTP2Bench.serve(.greeting() + [.repeating(one, times: 64)] + .answer()) { bench in
            for _ in 0..<64 {
                try await bench.engine.send(bench.request()) { response in
                    var iterator = response.body.makeAsyncIterator()
                    _ = try await iterator.next()
                }
            }
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }
}

extension [HTTP2Step] {
    /// Returns the same steps for the connection's second stream.
    fileprivate var shifted: HTTP2Script {
        map { step in if case .receiveRequest(.number(1)) = step { .receiveRequest(3) } else { step } }
    }
}

extension ScriptedHTTP2Connection {
    /// Waits until a value does not change while the client responds to a PING.
    fileprivate func settle(_ value: @Sendable () -> Int) async throws {
        var last = -1
        var number: UInt8 = 0
        while last != value() {
            last = value()
            number += 1
            let payload = [UInt8](repeating: number, count: 8)
            try await send(.ping(payload))
            try await waitForFrame("the response to the PING") { $0.kind == .ping && $0.payload == payload }
        }
    }
}
