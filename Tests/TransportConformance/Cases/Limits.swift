import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let limits: [ConformanceCase] = [
        ConformanceCase(
            "A field above the head limit is refused",
            .http1Only("the front's NIO sends no CONTINUATION")
        ) { context in
            let large =
                "HTTP/1.1 200 OK\r\nX-Large: \(String(repeating: "x", count: 70_000))\r\nContent-Length: 0\r\n\r\n"
            try await context.serve(.answer(large)) { bench in
                await expectFailure(.responseTooLarge, .invalidResponse) { try await bench.answer() }
            }
        },
        ConformanceCase("An endless head is refused", .http1Only("the HTTP/2 front sends only complete heads")) {
            context in
            let script: Script = [
                .receiveRequest, .send("HTTP/1.1 200 OK\r\n"),
                .repeating([.send("X-Field: \(String(repeating: "x", count: 1000))\r\n")], times: 2000),
            ]
            try await context.serve(script) { bench in
                await expectFailure(.responseTooLarge, .invalidResponse) { try await bench.answer() }
            }
        },
        ConformanceCase("More fields than the limit are refused") { context in
            let fields = (0..<201).map { "X-\($0): 1\r\n" }.joined()
            try await context.serve(.answer("HTTP/1.1 200 OK\r\n\(fields)\r\n")) { bench in
                await expectFailure(.responseTooLarge, .invalidResponse) { try await bench.answer() }
            }
        },
        ConformanceCase("A head of 30 KB is accepted", .http1Only("the front's NIO sends no CONTINUATION")) { context in
            let value = String(repeating: "x", count: 30_000)
            try await context.serve(.answer("HTTP/1.1 200 OK\r\nX-Large: \(value)\r\nContent-Length: 2\r\n\r\nok")) {
                bench in
                let answer = try await bench.answer()
                #expect(answer["X-Large"] == value)
                #expect(answer.text == "ok")
            }
        },
        ConformanceCase(
            "Trailers above the head limit are refused",
            .http1Only("the front's NIO sends no CONTINUATION")
        ) { context in
            let large = String(repeating: "x", count: 70_000)
            let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
            try await context.serve(.answer(start + "X-Large: \(large)\r\n\r\n")) { bench in
                await expectFailure(.responseTooLarge, .invalidResponse) { try await bench.answer() }
            }
        },
    ]
}
