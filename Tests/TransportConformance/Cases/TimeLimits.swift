import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    /// Short for a test, but long enough for a busy machine to reach the phase under test.
    private static let short = Duration.seconds(1)
    private static let started = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nstart"

    private static func only(
        tls: Duration? = nil,
        head: Duration? = nil,
        idle: Duration? = nil,
        total: Duration? = .seconds(20)
    ) -> Timeouts {
        Timeouts(tls: tls, head: head, idle: idle, total: total)
    }

    static let timeouts: [ConformanceCase] = [
        ConformanceCase("A head not received within the head timeout is a timeout, and the connection is closed") {
            context in
            try await context.serve([.receiveRequest, .stall]) { bench in
                let request = bench.request(timeouts: only(head: short))
                await expectFailure(.timeout, phase: .head) { try await bench.answer(request) }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A head not received within the total timeout is a timeout") { context in
            try await context.serve([.receiveRequest, .stall]) { bench in
                let request = bench.request(timeouts: only(total: .seconds(1)))
                await expectFailure(.timeout, phase: .head) { try await bench.answer(request) }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A head not complete within the head timeout is a timeout") { context in
            try await context.serve([.receiveRequest, .send("HTTP/1.1 200 OK\r\nX-"), .stall]) { bench in
                let request = bench.request(timeouts: only(head: short))
                await expectFailure(.timeout, phase: .head) { try await bench.answer(request) }
            }
        },
        ConformanceCase("A body without data for the idle timeout is a timeout, and the connection is closed") {
            context in
            try await context.serve([.receiveRequest, .send(started), .stall]) { bench in
                let request = bench.request(timeouts: only(idle: short))
                await expectFailure(.timeout, phase: .body) { try await bench.answer(request) }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("The total timeout includes the response body") { context in
            try await context.serve([.receiveRequest, .send(started), .stall]) { bench in
                let request = bench.request(timeouts: only(total: .seconds(1)))
                await expectFailure(.timeout, phase: .body) { try await bench.answer(request) }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A server that stops reading the body causes a timeout") { context in
            try await context.serve([.receiveHead, .stopReading, .stall]) { bench in
                let chunks = CountedChunks(count: 1024)
                let body = RequestBody.stream(BodyStream(chunks, length: Int64(chunks.length)))
                let request = bench.request(.post, body: body, timeouts: only(idle: short))
                await expectFailure(.timeout, phase: .send) { try await bench.answer(request) }
                #expect(bench.server.requests.first?.method == "POST")
            }
        },
        ConformanceCase("A silent producer causes a timeout after the total timeout") { context in
            let (chunks, producer) = AsyncStream.makeStream(of: Data.self)
            try await context.serve([.receiveHead, .stall]) { bench in
                defer { producer.finish() }
                let body = RequestBody.stream(BodyStream(chunks, length: 10))
                let request = bench.request(.post, body: body, timeouts: only(total: .milliseconds(300)))
                await expectFailure(.timeout) { try await bench.answer(request) }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase(
            "An unanswered TLS handshake is a timeout",
            .http1Only("the handshake comes before the version")
        ) { context in
            try await context.serve([.stall]) { bench in
                var request = bench.request(timeouts: only(tls: short, total: .seconds(5)))
                request.head.scheme = "https"
                await expectFailure(.timeout, phase: .tls) { try await bench.answer(request) }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("Timeouts that do not expire have no effect") { context in
            let long = Duration.patience
            let limits = Timeouts(
                resolve: long,
                connect: long,
                tls: long,
                head: long,
                idle: long,
                total: long
            )
            try await context.serve(.answer()) { bench in
                try await bench.expectText("ok", from: bench.request(timeouts: limits))
            }
        },
        ConformanceCase("All timeouts can be disabled") { context in
            let none = Timeouts(resolve: nil, connect: nil, tls: nil, head: nil, idle: nil, total: nil)
            try await context.serve(.answer()) { bench in
                try await bench.expectText("ok", from: bench.request(timeouts: none))
            }
        },
        ConformanceCase("Timeouts of centuries are accepted") { context in
            let ever = Duration.seconds(Int64.max / 2)
            let limits = Timeouts(resolve: ever, connect: ever, tls: ever, head: ever, idle: ever, total: ever)
            try await context.serve(.answer()) { bench in
                try await bench.expectText("ok", from: bench.request(timeouts: limits))
            }
        },
        ConformanceCase("A total timeout of zero or less expires immediately") { context in
            try await context.serve([.receiveRequest, .stall]) { bench in
                await expectFailure(.timeout) { try await bench.answer(bench.request(timeouts: only(total: .zero))) }
                await expectFailure(.timeout) {
                    try await bench.answer(bench.request(timeouts: only(total: .seconds(-1))))
                }
            }
        },
    ]
}
