import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private typealias Malformed = (name: String, response: String)

    /// Invalid responses that are possible in HTTP/2 as well.
    private static let malformed: [Malformed] = [
        ("A status that is not a number", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
        ("Two different lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
        ("A list of different lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nokk"),
        ("A length that is not a number", "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok"),
        ("A negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok"),
        ("A length above the maximum", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok"),
        ("A NUL in a field", "HTTP/1.1 200 OK\r\nX-Nul: a\u{0}b\r\nContent-Length: 0\r\n\r\n"),
    ]

    /// Invalid lines and chunks, which HTTP/2 does not have.
    private static let malformedText: [Malformed] = [
        ("Text other than HTTP", "SSH-2.0-OpenSSH_9.2\r\nAnd then some more of it\r\n\r\n"),
        ("A status line without a status", "HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
        (
            "A length beside a transfer coding",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        ),
        ("A field without a colon", "HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 0\r\n\r\n"),
        (
            "A chunk size that is not a number",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n"
        ),
        (
            "A chunk size above the maximum",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\nok"
        ),
        ("A chunk longer than its size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokk\r\n0\r\n\r\n"),
    ]

    private static func refusing(_ response: Malformed, _ scope: ConformanceScope) -> ConformanceCase {
        ConformanceCase("\(response.name) is an invalid response", scope) { context in
            try await context.serve(.answerAndClose(response.response)) { bench in
                await expectFailure(.invalidResponse) { try await bench.answer() }
                try await bench.server.waitForOpenConnections(0)
            }
        }
    }

    static let invalidResponses: [ConformanceCase] =
        malformed.map { refusing($0, .anyVersion) }
        + malformedText.map { refusing($0, .http1Only("HTTP/2 has no lines and no chunks")) } + [
            ConformanceCase(
                "Equal lengths in two fields or a list count as one (RFC 9110, section 8.6)",
                .http1Only("the front does not read a list as a length")
            ) { context in
                for fields in ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2"] {
                    try await context.serve(.answer("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nok")) { bench in
                        let answer = try await bench.answer()
                        #expect(answer.text == "ok")
                        #expect(answer.response.body.length == 2)
                    }
                }
            },
            ConformanceCase("Random bytes instead of a response fail the call") { context in
                let noise = (0..<4096).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
                try await context.serve([.receiveRequest, .sendBytes(noise), .close]) { bench in
                    await expectFailure(.invalidResponse, .connectionLost) { try await bench.answer() }
                }
            },
        ]
}
