import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    /// Starts a call, cancels it after an event, and expects it to end and the connection to be closed.
    private static func cancel(
        _ request: TransportRequest,
        _ bench: Bench,
        when happened: () async throws -> Void
    ) async throws {
        let call = Task { try await bench.answer(request) }
        try await happened()
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
        try await bench.server.waitForOpenConnections(0)
    }

    /// Cancels a call whose body's producer has been called but produces nothing, after an event.
    private static func cancelUpload(
        _ context: ConformanceContext,
        when happened: @escaping @Sendable (Bench) async throws -> Void = { _ in }
    ) async throws {
        let (chunks, producer) = AsyncStream.makeStream(of: Data.self)
        let asked = Signal()
        let watched = AsyncStream<Data> {
            asked.fire()
            var iterator = chunks.makeAsyncIterator()
            return await iterator.next()
        }
        try await context.serve([.receiveHead, .stall]) { bench in
            defer { producer.finish() }
            let body = RequestBody.stream(BodyStream(watched, length: 10))
            try await cancel(bench.request(.post, body: body), bench) {
                try await asked.wait()
                try await happened(bench)
            }
        }
    }

    static let cancellation: [ConformanceCase] = [
        ConformanceCase("A task that is already cancelled sends nothing") { context in
            try await context.serve(.answer()) { bench in
                let call = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await bench.answer()
                }
                await expectFailure(.cancelled) { try await call.value }
                #expect(bench.server.requests.isEmpty)
            }
        },
        ConformanceCase("A call cancelled while it waits for the head ends, and its connection is closed") { context in
            try await context.serve([.receiveRequest, .stall]) { bench in
                try await cancel(bench.request(), bench) {
                    try await bench.server.connection(0).waitUntilReceived("\r\n\r\n")
                }
            }
        },
        ConformanceCase("A call cancelled within the response body ends, and its connection is closed") { context in
            let sent = Signal()
            let start = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nstart"
            try await context.serve([.receiveRequest, .send(start), .fire(sent), .stall]) { bench in
                try await cancel(bench.request(), bench) { try await sent.wait() }
            }
        },
        ConformanceCase("A call cancelled while the server reads no more of the body ends") {
            context in
            let stopped = Signal()
            try await context.serve([.receiveHead, .stopReading, .fire(stopped), .waitFor(Signal())]) { bench in
                let chunks = CountedChunks(count: 1024)
                let body = RequestBody.stream(BodyStream(chunks, length: Int64(chunks.length)))
                let call = Task { try await bench.answer(bench.request(.post, body: body)) }
                try await stopped.wait()
                call.cancel()
                await expectFailure(.cancelled) { try await call.value }
            }
        },
        ConformanceCase("A call cancelled while the producer is silent ends, and its connection is closed") { context in
            try await cancelUpload(context)
        },
        ConformanceCase(
            "A call cancelled while the producer is silent after the head ends, and its connection is closed"
        ) { context in
            try await cancelUpload(context) { bench in
                try await bench.server.connection(0).waitUntilReceived("\r\n\r\n")
            }
        },
        ConformanceCase(
            "A call cancelled in the TLS handshake ends, and its connection is closed",
            .http1Only("the handshake comes before the version")
        ) { context in
            try await context.serve([.stall]) { bench in
                var request = bench.request()
                request.head.scheme = "https"
                try await cancel(request, bench) {
                    try await bench.server.connection(0).waitUntilReceived(count: 1)
                }
            }
        },
        ConformanceCase("Cancelling a call does not affect others") { context in
            let proceed = Signal()
            let script: Script = [.receiveRequest, .waitFor(proceed), .send(Script.ok)]
            try await context.serve(script) { bench in
                let cancelled = Task { try await bench.answer("/cancelled") }
                let other = Task { try await bench.answer("/other") }
                for index in 0...1 { try await bench.server.connection(index).waitUntilReceived("\r\n\r\n") }
                cancelled.cancel()
                await expectFailure(.cancelled) { try await cancelled.value }
                proceed.fire()
                #expect(try await other.value.text == "ok")
            }
        },
    ]
}
