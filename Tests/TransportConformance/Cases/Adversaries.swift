import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static let notFound = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"

    /// Malicious servers and careless callers.
    static let adversaries: [ConformanceCase] = [
        ConformanceCase(
            "Excess bytes in the burst of a response are not read as the next response",
            .http1Only("HTTP/2 frames delimit responses")
        ) { context in
            // The response fills one read of the usual size, so that the excess bytes arrive in another read of the same burst.
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 16344\r\n\r\n"
            let response = head + String(repeating: "a", count: 16_344)
            let surplus = "HTTP/1.1 200 OK\r\nX-Left-Over: "
            let first: Script = [.receiveRequest, .send(response + surplus), .receiveRequest, .send(notFound), .stall]
            try await context.serve(first, [.receiveRequest, .send(notFound), .stall]) { bench in
                let first = try await bench.answer()
                #expect(first.status == 200)
                let second = try await bench.answer()
                #expect(second.status == 404)
            }
        },
        ConformanceCase("Two readers of one body share its chunks and both reach its end") { context in
            let go = Signal()
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
            try await context.serve([.receiveRequest, .send(head), .waitFor(go), .send("ab"), .send("cd"), .stall]) {
                bench in
                let read = try await bench.transport.send(bench.request()) { response in
                    let body = response.body
                    return try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<2 { group.addTask { try await body.collect(upTo: 100).count } }
                        go.fire()
                        return try await group.reduce(0, +)
                    }
                }
                #expect(read == 4)
            }
        },
        ConformanceCase("Nothing is sent in a scope that has ended") { context in
            try await context.serve(.answer()) { bench in
                let ended = await withExchangeScope { $0 }
                await expectFailure(.cancelled) {
                    _ = try await bench.transport.send(bench.request(), in: ended)
                }
                #expect(bench.server.requests.isEmpty)
            }
        },
        ConformanceCase("With Expect: 100-continue, the body is not sent after a final status with an incomplete body")
        { context in
            let script: Script = [.receiveHead, .send("HTTP/1.1 401 No\r\nContent-Length: 4\r\n\r\nab"), .stall]
            try await context.serve(script) { bench in
                let body = RequestBody.data(Data("held back".utf8))
                var request = bench.request(.post, body: body, timeouts: Timeouts(idle: nil, total: .seconds(2)))
                request.expectsContinue = true
                await expectFailure(.timeout, phase: .body) { [request] in try await bench.answer(request) }
                #expect(bench.server.connections.first?.receivedText.contains("held back") == false)
            }
        },
        ConformanceCase("A range request does not accept compression") { context in
            let response =
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-8/100\r\nContent-Length: 4\r\n\r\nabcd"
            try await context.serve(.answer(response)) { bench in
                try await bench.expectText("abcd", from: bench.request(fields: [.range: "bytes=5-8"]))
                #expect(bench.server.requests.first?["accept-encoding"].contains { $0.contains("gzip") } == false)
            }
        },
        ConformanceCase("A non-ASCII host is not mapped to a similar ASCII host") { context in
            try await context.serve([]) { bench in
                var request = bench.request()
                request.head.authority = "faceboo\u{212A}.com"
                await expectFailure(.invalidRequest) { [request] in try await bench.answer(request) }
            }
        },
        ConformanceCase("A password in an authority is refused and not shown") { context in
            try await context.serve([]) { bench in
                var request = bench.request()
                request.head.authority = "user:hunter2@example.com"
                let failure = await expectFailure(.invalidRequest) { [request] in try await bench.answer(request) }
                #expect(failure?.description.contains("hunter2") == false)
            }
        },
        ConformanceCase("The retries with a server that closes every connection are limited") { context in
            try await context.serve([.close]) { bench in
                await expectFailure(.connectionLost) { try await bench.answer() }
                // The number depends on the transport, and on whether the server closes before or after the request.
                #expect(bench.server.acceptedConnections <= 4)
            }
        },
        ConformanceCase("An early response and a reset during an upload give the response or a lost connection") {
            context in
            let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
            try await context.serve([.receiveHead, .send(refusal), .reset]) { bench in
                for _ in 0..<50 {
                    let body = RequestBody.data(Data(repeating: 1, count: 3_000_000))
                    let request = bench.request(.put, body: body, timeouts: Timeouts(total: .patience))
                    do {
                        let answer = try await bench.answer(request)
                        #expect(answer.status == 413)
                    } catch NetworkError.connectionLost {}
                }
            }
        },
    ]
}
