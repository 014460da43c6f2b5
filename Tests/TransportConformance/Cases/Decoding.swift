import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static func serving(_ body: [UInt8], coding: String) -> Script {
        [.receiveRequest, .sendBytes(Compressed.response(body, coding: coding))]
    }

    static let decoding: [ConformanceCase] = [
        ConformanceCase("A gzip body is requested and decoded, and its coding and length are removed from the head") {
            context in
            try await context.serve(serving(Compressed.gzip, coding: "gzip")) { bench in
                let answer = try await bench.answer()
                #expect(answer.text == Compressed.plain)
                #expect(answer["Content-Encoding"] == nil)
                #expect(answer["Content-Length"] == nil)
                #expect(answer.response.body.length == nil)
                #expect(bench.server.requests.first?["Accept-Encoding"].first?.contains("gzip") == true)
            }
        },
        ConformanceCase("A deflate body is decoded") { context in
            try await context.serve(serving(Compressed.deflate, coding: "deflate")) { bench in
                try await bench.expectText(Compressed.plain)
            }
        },
        ConformanceCase("A chunked gzip body, split at every byte, is decoded") { context in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunks = Compressed.gzip.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
            try await context.serve([.receiveRequest, .send(head), .dripBytes(chunks), .send("0\r\n\r\n")]) { bench in
                try await bench.expectText(Compressed.plain)
            }
        },
        ConformanceCase("A body in an unsupported coding fails as undecodable") { context in
            try await context.serve(serving(Array("??".utf8), coding: "compress")) { bench in
                await expectFailure(.undecodableBody) { try await bench.answer() }
            }
        },
        ConformanceCase("A body with a label that is not a coding is passed on as it was sent") { context in
            for label in ["none", "UTF-8", "aws-chunked", "binary"] {
                try await context.serve(serving(Array("{}".utf8), coding: label)) { bench in
                    let answer = try await bench.answer()
                    #expect(answer.text == "{}")
                    #expect(answer["Content-Encoding"] == label)
                }
            }
        },
        ConformanceCase("An unsupported coding requested by the app is passed through") { context in
            try await context.serve(serving(Array("??".utf8), coding: "x-own")) { bench in
                var request = bench.request()
                request.head.headerFields[.acceptEncoding] = "x-own"
                let answer = try await bench.answer(request)
                #expect(answer.text == "??")
                #expect(answer["Content-Encoding"] == "x-own")
            }
        },
        ConformanceCase("The response to HEAD can state a coding") { context in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n"
            try await context.serve(.answer(head)) { bench in
                let answer = try await bench.answer(bench.request(.head))
                #expect(answer.status == 200)
                #expect(answer.body.isEmpty)
            }
        },
        ConformanceCase("With decoding disabled, no coding is requested and the bytes are unchanged") { context in
            let configuration = TransportConfiguration(decodesContent: false)
            try await context.serve(serving(Compressed.gzip, coding: "gzip"), configuration: configuration) { bench in
                let answer = try await bench.answer()
                #expect(answer.body.elementsEqual(Compressed.gzip))
                #expect(answer["Content-Encoding"] == "gzip")
                #expect(bench.server.requests.first?["Accept-Encoding"] == [])
            }
        },
        ConformanceCase("A body that does not match its coding fails as undecodable") { context in
            try await context.serve(serving(Array("not gzip at all".utf8), coding: "gzip")) { bench in
                await expectFailure(.undecodableBody) { try await bench.answer() }
            }
        },
        ConformanceCase("A truncated gzip body with a correct length fails") { context in
            try await context.serve(serving(Array(Compressed.gzip.prefix(30)), coding: "gzip")) { bench in
                await expectFailure(.undecodableBody, .incompleteBody) { try await bench.answer() }
            }
        },
        ConformanceCase("A body that exceeds the size limit when decoded is refused") { context in
            let configuration = TransportConfiguration(
                responses: ResponseLimits(decodedBytes: 100_000)
            )
            try await context.serve(serving(Compressed.bomb, coding: "gzip"), configuration: configuration) { bench in
                await expectFailure(.undecodableBody, .responseTooLarge) { try await bench.answer() }
            }
        },
        ConformanceCase("A streamed body is decoded completely, although its ratio is 1,000") { context in
            try await context.serve(serving(Compressed.bomb, coding: "gzip")) { bench in
                let size = try await bench.transport.send(bench.request()) { response in
                    try await response.body.reduce(into: 0) { $0 += $1.count }
                }
                #expect(size == 4 << 20)
            }
        },
        ConformanceCase("A body that is collected is refused when it exceeds the limit of its call") { context in
            try await context.serve(serving(Compressed.bomb, coding: "gzip")) { bench in
                await expectFailure(.responseTooLarge) {
                    try await bench.transport.send(bench.request()) { response in
                        try await response.body.collect(upTo: 1 << 20)
                    }
                }
            }
        },
    ]
}
