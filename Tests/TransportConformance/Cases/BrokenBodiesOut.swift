import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private struct ProducerFailed: Error {}

    /// Invalid request bodies.
    static let brokenBodiesOut: [ConformanceCase] = [
        ConformanceCase("A stream shorter than announced fails the call") { context in
            try await context.serve(.answer()) { bench in
                let body = RequestBody.texts("short", length: 10)
                await expectFailure(.invalidRequest) { try await bench.answer(bench.request(.post, body: body)) }
                #expect(!bench.server.requests.contains { $0.isComplete })
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A stream longer than announced fails the call") { context in
            try await context.serve([.receiveHead, .stall]) { bench in
                let body = RequestBody.texts("much", "too long", length: 5)
                await expectFailure(.invalidRequest) { try await bench.answer(bench.request(.post, body: body)) }
                #expect(bench.server.requests.allSatisfy { $0.body.count <= 5 })
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("An error thrown by the producer fails the call and is the underlying error") { context in
            try await context.serve(.answer()) { bench in
                let body = RequestBody.text("start", failingWith: ProducerFailed())
                let failure = await expectFailure(.networkError, .invalidRequest) {
                    try await bench.answer(bench.request(.post, body: body))
                }
                #expect(failure?.underlying is ProducerFailed)
                #expect(!bench.server.requests.contains { $0.isComplete })
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A missing file is refused and named before anything is sent") { context in
            try await context.serve(.answer()) { bench in
                let file = URL(fileURLWithPath: "/nowhere/missing.bin")
                let failure = await expectFailure(.invalidRequest) {
                    try await bench.answer(bench.request(.put, body: .file(file)))
                }
                #expect(failure?.reason.contains("missing.bin") == true)
                #expect(bench.server.requests.isEmpty)
            }
        },
        ConformanceCase("A directory as a body is refused") { context in
            try await context.serve(.answer()) { bench in
                let directory = URL(fileURLWithPath: "/tmp")
                await expectFailure(.invalidRequest) {
                    try await bench.answer(bench.request(.put, body: .file(directory)))
                }
                #expect(bench.server.requests.isEmpty)
            }
        },
        ConformanceCase("A body on TRACE is refused before anything is sent") { context in
            try await context.serve(.answer()) { bench in
                await expectFailure(.invalidRequest) {
                    try await bench.answer(bench.request(.trace, body: .data(Data("x".utf8))))
                }
                #expect(bench.server.requests.isEmpty)
            }
        },
        ConformanceCase("A Content-Length that contradicts the body is refused before anything is sent") { context in
            try await context.serve(.answer()) { bench in
                let request = bench.request(
                    .post,
                    fields: [.contentLength: "5"],
                    body: .data(Data("four".utf8))
                )
                await expectFailure(.invalidRequest) { try await bench.answer(request) }
                #expect(bench.server.requests.isEmpty)
            }
        },
        ConformanceCase("A Content-Length that agrees with the body is sent once") { context in
            try await context.serve(.answer()) { bench in
                let request = bench.request(
                    .post,
                    fields: [.contentLength: "4"],
                    body: .data(Data("four".utf8))
                )
                _ = try await bench.answer(request)
                #expect(bench.server.requests.first?["Content-Length"] == ["4"])
                #expect(bench.server.requests.first?.bodyText == "four")
            }
        },
    ]
}
