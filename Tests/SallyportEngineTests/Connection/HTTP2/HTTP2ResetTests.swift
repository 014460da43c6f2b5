import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HTTP2ResetTests {
    private static let refused: UInt32 = 7
    private static let codes: [UInt32] = [1, 2, 8, 11, 99]

    @Test
    func `A refused stream is retried on its connection with any method`() async throws {
        let script: HTTP2Script = .greeting() + [.receiveRequest(1), .resetStream(1, Self.refused)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            let request = bench.request(.post, body: .data(Data("pay".utf8)))
            try await bench.expectOK(request)
            let bodies = bench.server.connections.flatMap(\.streams).map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies == ["pay", "pay"])
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `The retries of a call that the server refuses are limited`() async throws {
        let script: HTTP2Script =
            .greeting() + [.repeating([.receiveRequest(.next), .resetStream(.current, Self.refused)], times: 1_000)]
        try await HTTP2Bench.serve(script) { bench in
            await bench.expectFailure(.connectionLost, saying: "REFUSED_STREAM")
            #expect(bench.server.connections.map(\.streams.count) == [4])
        }
    }

    @Test(arguments: codes)
    func `A stream reset before its response fails and is not retried`(code: UInt32) async throws {
        let script: HTTP2Script = .greeting() + [.receiveRequest(1), .resetStream(1, code)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            let failure = await bench.expectFailure(.connectionLost, of: bench.request(.post))
            #expect(failure?.phase == .head)
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test(arguments: codes)
    func `A stream reset within its body fails as incomplete, with and without a content length`(code: UInt32)
        async throws
    {
        for fields in [[], [("content-length", "10")]] {
            let script: HTTP2Script =
                .greeting() + [.receiveRequest(1), .head(1, fields), .data(1, "short"), .resetStream(1, code)]
                + .answer()
            try await HTTP2Bench.serve(script) { bench in
                let failure = await bench.expectFailure(.incompleteBody)
                #expect(failure?.phase == .body)
                try await bench.expectOK()
                #expect(bench.server.acceptedConnections == 1)
            }
        }
    }

    @Test
    func `A reset with NO_ERROR within a body fails as incomplete`() async throws {
        let script: HTTP2Script = .greeting() + [.receiveRequest(1), .head(1), .data(1, "short"), .resetStream(1, 0)]
        try await HTTP2Bench.serve(script) { bench in
            await bench.expectFailure(.incompleteBody)
        }
    }

    @Test
    func `A reset with NO_ERROR after a complete response ends the upload, and the response is valid`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveHead(1), .head(1, status: "413"), .data(1, "too large", end: true)]
            + [.resetStream(1, 0)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer(bench.request(.post, body: .produced(10_000_000)))
            #expect(answer.status == 413)
            #expect(answer.text == "too large")
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `After an early response the client resets its stream, and the connection stays open`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveHead(1), .head(1, status: "413"), .data(1, "too large", end: true)]
            + [.receiveReset(1)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer(bench.request(.post, body: .produced(10_000_000)))
            #expect(answer.text == "too large")
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }
}
