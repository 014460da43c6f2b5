import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let framing: [ConformanceCase] = [
        ConformanceCase("A body has the announced length") { context in
            try await context.serve(.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == "hello")
                #expect(answer.response.body.length == 5)
            }
        },
        ConformanceCase("A body can be empty") { context in
            try await context.serve(.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) { bench in
                let answer = try await bench.answer()
                #expect(answer.body.isEmpty)
            }
        },
        ConformanceCase("A chunked body is decoded, and extensions are ignored") { context in
            let response =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n7;name=value;other=\"x\"\r\n, world\r\n0\r\n\r\n"
            try await context.serve(.answer(response)) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == "hello, world")
                #expect(answer.response.body.length == nil)
            }
        },
        ConformanceCase("A chunked response can be received byte by byte") { context in
            let response =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-One: 1\r\n\r\n"
                + "5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n"
            try await context.serve([.receiveRequest, .drip(response)]) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == "hello0123456789")
                #expect(answer["x-one"] == "1")
            }
        },
        ConformanceCase("A response with a length can be received byte by byte") { context in
            try await context.serve([.receiveRequest, .drip(Script.ok)]) { bench in
                try await bench.expectText("ok")
            }
        },
        ConformanceCase("The lines of a head can end with LF alone", .http1Only("HTTP/2 has no lines")) { context in
            let response =
                "HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\nX-One: 1\r\nContent-Length: 5\n\nhello"
            try await context.serve([.receiveRequest, .drip(response), .receiveRequest, .send(response)]) { bench in
                for _ in 0..<2 {
                    let answer = try await bench.answer()
                    #expect(answer.text == "hello")
                    #expect(answer["x-one"] == "1")
                }
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("A body without a length lasts until the connection closes") { context in
            try await context.serve(.answerAndClose("HTTP/1.1 200 OK\r\n\r\nall of it")) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == "all of it")
                #expect(answer.response.body.length == nil)
            }
        },
        ConformanceCase("The response to HEAD has no body, whatever its head announces") { context in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
            try await context.serve([.receiveRequest, .send(head), .receiveRequest, .send(Script.ok)]) { bench in
                let answer = try await bench.answer(bench.request(.head))
                #expect(answer.body.isEmpty)
                #expect(answer["Content-Length"] == "1000")
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("A 204 response has no body") { context in
            let empty = "HTTP/1.1 204 No Content\r\n\r\n"
            try await context.serve([.receiveRequest, .send(empty), .receiveRequest, .send(Script.ok)]) { bench in
                let answer = try await bench.answer()
                #expect(answer.status == 204)
                #expect(answer.body.isEmpty)
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("A 304 response has no body, even if it announces one") { context in
            let unchanged = "HTTP/1.1 304 Not Modified\r\nContent-Length: 20\r\nETag: \"x\"\r\n\r\n"
            try await context.serve([.receiveRequest, .send(unchanged), .receiveRequest, .send(Script.ok)]) { bench in
                let answer = try await bench.answer()
                #expect(answer.status == 304)
                #expect(answer.body.isEmpty)
                #expect(answer["etag"] == "\"x\"")
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("An HTTP/1.0 response without a length lasts until the connection closes") { context in
            try await context.serve(.answerAndClose("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nold but whole")) { bench in
                try await bench.expectText("old but whole")
            }
        },
        ConformanceCase(
            "A connection is not reused after an HTTP/1.0 response",
            .http1Only("HTTP/2 has no HTTP/1.0 responses")
        ) { context in
            let old = "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold"
            try await context.serve(.answer(old), .answer()) { bench in
                try await bench.expectText("old")
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 2)
            }
        },
        ConformanceCase("A status line without a reason phrase is accepted") { context in
            try await context.serve(.answer("HTTP/1.1 207 \r\nContent-Length: 1\r\n\r\nx")) { bench in
                let answer = try await bench.answer()
                #expect(answer.status == 207)
            }
        },
    ]
}
