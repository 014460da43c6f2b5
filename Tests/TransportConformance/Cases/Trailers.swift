import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private struct TrailersFailed: Error {}

    static let trailers: [ConformanceCase] = [
        ConformanceCase("A connection is reused after a response with trailers") { context in
            let response =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n"
            try await context.serve(.answers(2, response)) { bench in
                try await bench.expectText("ok")
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("The response's trailers are available after its body and not among its headers") { context in
            let response =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\nX-Two: 2\r\n\r\n"
            try await context.serve(.answer(response)) { bench in
                let name = try #require(HTTPField.Name("X-Sum"))
                let answer = try await bench.answer()
                #expect(answer.trailers[name] == "42")
                #expect(answer.trailers.count == 2)
                #expect(answer["X-Sum"] == nil)
            }
        },
        ConformanceCase("The request's trailers are sent after its body") { context in
            try await context.serve(.answer()) { bench in
                let name = try #require(HTTPField.Name("X-Sum"))
                var request = bench.request(.post, body: .texts("body"))
                request.trailers = { [name: "42"] }
                try await bench.expectText("ok", from: request)
                let received = try #require(bench.server.requests.first)
                #expect(received.bodyText == "body")
                #expect(received["Transfer-Encoding"] == ["chunked"])
                #expect(received.trailers.map { "\($0.name.lowercased()): \($0.value)" } == ["x-sum: 42"])
            }
        },
        ConformanceCase("An error thrown for the trailers fails the call and is the underlying error") { context in
            try await context.serve([.receiveHead, .stall]) { bench in
                var request = bench.request(.post, body: .texts("body"))
                request.trailers = { throw TrailersFailed() }
                let failure = await expectFailure(.networkError, .invalidRequest) { try await bench.answer(request) }
                #expect(failure?.underlying is TrailersFailed)
                #expect(!bench.server.requests.contains { $0.isComplete })
            }
        },
    ]
}
