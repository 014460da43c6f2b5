import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let bodiesOut: [ConformanceCase] = [
        ConformanceCase("A body of data is sent with its length") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.post, body: .data(Data("hello\r\n\u{0}".utf8))))
                let request = try #require(bench.server.requests.first)
                #expect(request["Content-Length"] == ["8"])
                #expect(request["Transfer-Encoding"].isEmpty)
                #expect(request.bodyText == "hello\r\n\u{0}")
            }
        },
        ConformanceCase("An empty body has the length 0") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.put, body: .data(Data())))
                #expect(bench.server.requests.first?["Content-Length"] == ["0"])
            }
        },
        ConformanceCase("No content type is added") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.post, body: .data(Data("x".utf8))))
                #expect(bench.server.requests.first?["Content-Type"] == [])
            }
        },
        ConformanceCase("A GET can have a body") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.get, body: .data(Data("query".utf8))))
                #expect(bench.server.requests.first?.method == "GET")
                #expect(bench.server.requests.first?.bodyText == "query")
            }
        },
        ConformanceCase("A DELETE can have a body") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.delete, body: .data(Data("which".utf8))))
                #expect(bench.server.requests.first?.bodyText == "which")
            }
        },
        ConformanceCase("A body of 5 MB in memory is sent completely") { context in
            let bytes = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let script: Script = [.receiveHead, .receiveBody(bytes.count), .send(Script.ok)]
            try await context.serve(script) { bench in
                try await bench.expectText("ok", from: bench.request(.post, body: .data(bytes)))
                #expect(bench.server.connections[0].received.suffix(bytes.count).elementsEqual(bytes))
            }
        },
        ConformanceCase("A file is sent completely with its length") { context in
            try await withTemporaryDirectory { directory in
                let file = directory.appendingPathComponent("body.bin")
                let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })
                try bytes.write(to: file)
                try await context.serve([.receiveHead, .receiveBody(bytes.count), .send(Script.ok)]) { bench in
                    _ = try await bench.answer(bench.request(.put, body: .file(file)))
                    let request = try #require(bench.server.requests.first)
                    #expect(request["Content-Length"] == ["300000"])
                    #expect(request.body.elementsEqual(bytes))
                }
            }
        },
        ConformanceCase("An empty file is sent as an empty body") { context in
            try await withTemporaryDirectory { directory in
                let file = directory.appendingPathComponent("empty")
                try Data().write(to: file)
                try await context.serve(.answer()) { bench in
                    _ = try await bench.answer(bench.request(.put, body: .file(file)))
                    #expect(bench.server.requests.first?["Content-Length"] == ["0"])
                }
            }
        },
        ConformanceCase("A stream of known length is sent with that length") { context in
            try await context.serve(.answer()) { bench in
                let body = RequestBody.texts("hello", "", ", ", "world", length: 12)
                _ = try await bench.answer(bench.request(.post, body: body))
                let request = try #require(bench.server.requests.first)
                #expect(request["Content-Length"] == ["12"])
                #expect(request["Transfer-Encoding"].isEmpty)
                #expect(request.bodyText == "hello, world")
            }
        },
        ConformanceCase("A stream of unknown length is sent completely") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.post, body: .texts("hello", "", ", ", "world")))
                let request = try #require(bench.server.requests.first)
                #expect(request.isComplete)
                #expect(request.bodyText == "hello, world")
            }
        },
        ConformanceCase("A stream of unknown length is sent chunked") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.post, body: .texts("hello")))
                let request = try #require(bench.server.requests.first)
                #expect(request["Transfer-Encoding"] == ["chunked"])
                #expect(request["Content-Length"].isEmpty)
            }
        },
        ConformanceCase("An empty stream is sent as an empty body") { context in
            try await context.serve(.answer()) { bench in
                _ = try await bench.answer(bench.request(.post, body: .texts()))
                let request = try #require(bench.server.requests.first)
                #expect(request.isComplete)
                #expect(request.body.isEmpty)
            }
        },
        ConformanceCase("A stream is sent while it is produced") { context in
            let (chunks, producer) = AsyncStream.makeStream(of: Data.self)
            try await context.serve([.receive(until: "first"), .receive(until: "0\r\n\r\n"), .send(Script.ok)]) {
                bench in
                let request = bench.request(.post, body: .stream(BodyStream(chunks)))
                async let answer = bench.answer(request)
                producer.yield(Data("first".utf8))
                defer { producer.finish() }
                try await bench.server.connection(0).waitUntilReceived("first")
                producer.yield(Data("second".utf8))
                producer.finish()
                #expect(try await answer.text == "ok")
                #expect(bench.server.requests.first?.bodyText == "firstsecond")
            }
        },
    ]
}
