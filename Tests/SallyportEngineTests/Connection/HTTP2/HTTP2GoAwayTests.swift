import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HTTP2GoAwayTests {
    @Test
    func `Streams above the last one in GOAWAY are retried with any method, and the others finish`() async throws {
        let first: HTTP2Script =
            .greeting() + [.receiveRequest(1), .receiveRequest(3), .receiveRequest(5)]
            + [.send(.goAway(last: 1))] + .response(1, "below")
        try await HTTP2Bench.serve(first, .answers(10)) { bench in
            async let below = bench.answer("/below")
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(1)
            let post = bench.request(.post, "/post", body: .data(Data("pay".utf8)))
            async let above = bench.answer(post)
            async let another = bench.answer("/get")
            #expect(try await below.text == "below")
            #expect(try await above.text == "ok")
            #expect(try await another.text == "ok")
            let second = try await bench.server.connection(1)
            #expect(second.streams.map(\.path).sorted() == ["/get", "/post"])
            #expect(second.streams.contains { $0.body == Array("pay".utf8) })
            try await connection.waitUntilClosedByClient()
        }
    }

    @Test
    func `After GOAWAY new calls use another connection while a running call finishes`() async throws {
        let proceed = Signal()
        let gone = Signal()
        let first: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .send(.goAway(last: 1)), .fire(gone), .waitFor(proceed)]
            + [.data(1, "old", end: true)]
        try await HTTP2Bench.serve(first, .answers(10)) { bench in
            try await bench.engine.send(bench.request()) { response in
                let connection = try await bench.server.connection(0)
                try await gone.wait()
                try await connection.send(.ping())
                try await connection.waitForFrame("the response to the PING") { $0.kind == .ping }
                try await bench.expectOK("/new")
                proceed.fire()
                let body = try await response.body.collect(upTo: 10)
                #expect(String(decoding: body, as: UTF8.self) == "old")
                try await connection.waitUntilClosedByClient()
            }
            #expect(bench.server.acceptedConnections == 2)
        }
    }

    @Test
    func `No call fails during a graceful shutdown with two GOAWAY frames`() async throws {
        let first: HTTP2Script =
            .greeting() + [.receiveRequest(1), .send(.goAway(last: 0x7FFF_FFFF))] + .response(1)
            + [.send(.goAway(last: 1)), .close]
        try await HTTP2Bench.serve(first, .answers(100)) { bench in
            for _ in 0..<5 { try await bench.expectOK() }
            #expect(bench.server.acceptedConnections == 2)
        }
    }

    @Test
    func `A call is not retried if part of its one-shot body was sent`() async throws {
        try await HTTP2Bench.serve(.greeting() + [.stall], .answers(1)) { bench in
            let request = bench.request(.post, body: .produced(65_535))
            async let failure = bench.expectFailure(.connectionLost, of: request)
            let connection = try await bench.server.connection(0)
            try await connection.waitForStream(1, "the body") { $0.body.count >= 32_768 }
            try await connection.send(.goAway(last: 0))
            _ = await failure
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `The retries of a call that the server rejects with GOAWAY are limited`() async throws {
        let script: HTTP2Script = .greeting() + [.receiveHead(1), .send(.goAway(last: 0)), .close]
        try await HTTP2Bench.serve(script) { bench in
            await bench.expectFailure(.connectionLost, saying: "the server ended the connection (NO_ERROR)")
            #expect(bench.server.acceptedConnections == 4)
        }
    }

    @Test
    func `The error of a call contains the error code of GOAWAY`() async throws {
        let script: HTTP2Script = .greeting() + [.receiveRequest(1), .send(.goAway(last: 1, 0xB)), .close]
        try await HTTP2Bench.serve(script) { bench in
            await bench.expectFailure(.connectionLost, saying: "the server ended the connection (ENHANCE_YOUR_CALM)")
        }
    }

    @Test
    func `A call with a partial response is not retried, even if GOAWAY states that it was not processed`()
        async throws
    {
        let proceed = Signal()
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .data(1, "part"), .waitFor(proceed), .send(.goAway(last: 0))]
        try await HTTP2Bench.serve(script, .answers(1)) { bench in
            do {
                try await bench.engine.send(bench.request()) { response in
                    proceed.fire()
                    let body = try await response.body.collect(upTo: 100)
                    Issue.record("unexpected body: \(String(decoding: body, as: UTF8.self))")
                }
            } catch {
                #expect(HTTP2FailureKind(NetworkError(wrapping: error, reason: "another error")) == .incompleteBody)
            }
            #expect(bench.server.acceptedConnections == 1)
        }
    }
}
