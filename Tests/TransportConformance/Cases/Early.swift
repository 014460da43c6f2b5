import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static let tooLarge = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig"

    /// Responses before the request has been sent completely, and requests that wait for them.
    static let early: [ConformanceCase] = [
        ConformanceCase("A response can be received while the body is sent") { context in
            try await context.serve([.receiveHead, .stopReading, .send(tooLarge)]) { bench in
                let chunks = CountedChunks(count: 1024)
                let body = RequestBody.stream(BodyStream(chunks, length: Int64(chunks.length)))
                let answer = try await bench.answer(bench.request(.post, body: body))
                #expect(answer.status == 413)
                #expect(answer.text == "big")
            }
        },
        ConformanceCase("After an early response the connection is closed without waiting for the producer") {
            context in
            try await context.serve([.receiveHead, .send(tooLarge)], .answer()) { bench in
                let (chunks, producer) = AsyncStream.makeStream(of: Data.self)
                defer { producer.finish() }
                producer.yield(Data("start".utf8))
                let body = RequestBody.stream(BodyStream(chunks, length: 1000))
                #expect(try await bench.answer(bench.request(.post, body: body)).status == 413)
                try await bench.server.connection(0).waitUntilClosedByClient()
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 2)
            }
        },
        ConformanceCase("With Expect: 100-continue, the body is sent after the informational response") { context in
            // Clients send the body to a server that has been silent for a second. On a busy machine this test may notice the head
            // later than that, and then tries again.
            for _ in 0..<20 {
                let (proceed, wasInTime) = (Signal(), Watched(false))
                let script: Script = [
                    .receiveHead, .waitFor(proceed), .send("HTTP/1.1 100 Continue\r\n\r\n"), .receiveBody(4),
                    .send(Script.ok),
                ]
                try await context.serve(script) { bench in
                    var request = bench.request(.post, body: .data(Data("body".utf8)))
                    request.expectsContinue = true
                    let start = ContinuousClock.now
                    async let answer = bench.answer(request)
                    let connection = try await bench.server.connection(0)
                    try await connection.waitUntilReceived("\r\n\r\n")
                    let received = connection.receivedText
                    wasInTime.update { $0 = start.duration(to: .now) < .milliseconds(900) }
                    proceed.fire()
                    #expect(try await answer.text == "ok")
                    #expect(connection.requests.first?["Expect"] == ["100-continue"])
                    #expect(connection.requests.first?.bodyText == "body")
                    if wasInTime.value { #expect(received.hasSuffix("\r\n\r\n")) }
                }
                if wasInTime.value { return }
            }
            Issue.record("no request was noticed in time")
        },
        ConformanceCase("With Expect: 100-continue, a 417 is the response, and the body is not sent") { context in
            let refusal = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"
            try await context.serve([.receiveHead, .send(refusal)]) { bench in
                var request = bench.request(.post, body: .data(Data("body".utf8)))
                request.expectsContinue = true
                let answer = try await bench.answer(request)
                #expect(answer.status == 417)
                #expect(bench.server.connections.first?.receivedText.hasSuffix("\r\n\r\n") == true)
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("With Expect: 100-continue, the body is sent to a silent server after a while") { context in
            try await context.serve([.receiveHead, .receiveBody(4), .send(Script.ok)]) { bench in
                var request = bench.request(.post, body: .data(Data("body".utf8)))
                request.expectsContinue = true
                try await bench.expectText("ok", from: request)
            }
        },
        ConformanceCase("A request without a body has no Expect field") { context in
            try await context.serve(.answer()) { bench in
                var request = bench.request()
                request.expectsContinue = true
                try await bench.expectText("ok", from: request)
                #expect(bench.server.requests.first?["Expect"] == [])
            }
        },
    ]
}
