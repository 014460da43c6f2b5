import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static let total = 1024 * 65_536
    /// More bytes than fit into the socket buffers of both sides, and fewer than the complete body.
    private static let bound = 24 << 20

    /// Makes many other calls, so that pending work can proceed.
    private static func occupy(_ bench: Bench) async throws {
        for _ in 0..<200 { try await bench.expectText("ok") }
    }

    static let backPressure: [ConformanceCase] = [
        ConformanceCase("A paused reader stops the server") { context in
            let download: Script = [
                .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n"),
                .repeating([.sendBytes(Array(repeating: 120, count: 65_536))], times: 1024),
            ]
            try await context.serve(download, .answers(200)) { bench in
                try await bench.transport.send(bench.request()) { response in
                    var iterator = response.body.makeAsyncIterator()
                    var read = try await iterator.next()?.count ?? 0
                    try await occupy(bench)
                    #expect(bench.server.connections[0].sentCount < bound)
                    while let chunk = try await iterator.next() { read += chunk.count }
                    #expect(read == total)
                }
            }
        },
        ConformanceCase("A paused server stops the producer of the body") { context in
            let proceed = Signal()
            let stopped = Signal()
            let upload: Script = [
                .receiveHead, .stopReading, .fire(stopped), .waitFor(proceed), .resumeReading, .receiveBody(total),
                .send(Script.ok),
            ]
            try await context.serve(upload, .answers(200)) { bench in
                let chunks = CountedChunks(count: 1024)
                let body = RequestBody.stream(BodyStream(chunks, length: Int64(chunks.length)))
                async let answer = bench.answer(bench.request(.post, body: body))
                try await stopped.wait()
                try await occupy(bench)
                #expect(chunks.takenBytes < bound)
                proceed.fire()
                #expect(try await answer.text == "ok")
                #expect(chunks.takenBytes == total)
            }
        },
    ]
}
