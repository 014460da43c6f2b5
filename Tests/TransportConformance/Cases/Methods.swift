import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let methods: [ConformanceCase] =
        [HTTPRequest.Method.get, .delete, .options, .head, .post, .put, .patch].map { method in
            ConformanceCase("\(method) is sent, and its response is received") { context in
                let ok = method == .head ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" : Script.ok
                try await context.serve(.answer(ok)) { bench in
                    let answer = try await bench.answer(bench.request(method, "/thing"))
                    #expect(answer.status == 200)
                    #expect(answer.text == (method == .head ? "" : "ok"))
                    let request = try #require(bench.server.requests.first)
                    #expect(request.method == method.rawValue)
                    #expect(request.target == "/thing")
                    #expect(request.version == "HTTP/1.1")
                    #expect(request["Host"] == [bench.authority])
                }
            }
        } + [
            ConformanceCase("A custom method is sent unchanged") { context in
                try await context.serve(.answer()) { bench in
                    let method = try #require(HTTPRequest.Method("PROPFIND"))
                    #expect(try await bench.answer(bench.request(method)).status == 200)
                    #expect(bench.server.requests.first?.method == "PROPFIND")
                }
            },
            ConformanceCase("A request without a body has no body fields") { context in
                try await context.serve(.answer()) { bench in
                    _ = try await bench.answer()
                    let request = try #require(bench.server.requests.first)
                    #expect(request["Content-Length"].isEmpty)
                    #expect(request["Transfer-Encoding"].isEmpty)
                    #expect(request["Content-Type"].isEmpty)
                }
            },
            ConformanceCase("A POST without a body has the length 0") { context in
                try await context.serve(.answer()) { bench in
                    _ = try await bench.answer(bench.request(.post))
                    #expect(bench.server.requests.first?["Content-Length"] == ["0"])
                }
            },
        ]
}
