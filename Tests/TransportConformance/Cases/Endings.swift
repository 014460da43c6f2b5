import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    /// Responses that end too early.
    static let endings: [ConformanceCase] = [
        ConformanceCase("A body shorter than announced is incomplete") { context in
            try await context.serve(.answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")) { bench in
                await expectFailure(.incompleteBody) { try await bench.answer() }
            }
        },
        ConformanceCase("An announced body that is not sent is incomplete") { context in
            try await context.serve(.answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")) { bench in
                await expectFailure(.incompleteBody) { try await bench.answer() }
            }
        },
        ConformanceCase("A truncated chunk is an incomplete body") { context in
            let cut = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nshort"
            try await context.serve(.answerAndClose(cut)) { bench in
                await expectFailure(.incompleteBody) { try await bench.answer() }
            }
        },
        ConformanceCase("A chunked body without its last chunk is incomplete") { context in
            let cut = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            try await context.serve(.answerAndClose(cut)) { bench in
                await expectFailure(.incompleteBody) { try await bench.answer() }
            }
        },
        ConformanceCase("A connection reset within the body fails the call") { context in
            let start = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"
            let broken = Signal()
            try await context.serve([.receiveRequest, .send(start), .waitFor(broken), .reset]) { bench in
                await expectFailure(.incompleteBody, .connectionLost) {
                    try await bench.transport.send(bench.request()) { response in
                        broken.fire()
                        return try await response.body.collect(upTo: 100)
                    }
                }
            }
        },
        ConformanceCase("The bytes received before an error can be read") { context in
            try await context.serve(.answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")) { bench in
                await expectFailure(.incompleteBody) {
                    try await bench.transport.send(bench.request()) { response in
                        var text = ""
                        defer { #expect(text == "short") }
                        for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
                    }
                }
            }
        },
        ConformanceCase("A connection closed before the head is a lost connection") { context in
            try await context.serve([.receiveRequest, .close]) { bench in
                await expectFailure(.connectionLost) { try await bench.answer() }
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("A connection reset before the head is a lost connection") { context in
            try await context.serve([.receiveRequest, .reset]) { bench in
                await expectFailure(.connectionLost) { try await bench.answer() }
            }
        },
        ConformanceCase("A connection closed within the head fails the call") { context in
            try await context.serve(.answerAndClose("HTTP/1.1 200 OK\r\nContent-Le")) { bench in
                await expectFailure(.connectionLost, .invalidResponse) { try await bench.answer() }
            }
        },
    ]
}
