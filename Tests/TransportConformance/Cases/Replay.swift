import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    /// Responds once, receives a second request, and closes the connection without a response.
    private static let stale: Script = .answer() + [.receiveRequest, .close]

    /// The handling of idle connections that the server closes.
    static let replay: [ConformanceCase] = [
        ConformanceCase("A GET on a stale connection is sent again on a new one") { context in
            try await context.serve(stale, .answer()) { bench in
                _ = try await bench.answer("/first")
                try await bench.expectText("ok", from: bench.request(.get, "/second"))
                #expect(bench.server.requests.map(\.target) == ["/first", "/second", "/second"])
            }
        },
        ConformanceCase("A PUT with a body on a stale connection is sent again") { context in
            try await context.serve(stale, .answer()) { bench in
                _ = try await bench.answer("/first")
                let request = bench.request(.put, body: .data(Data("body".utf8)))
                try await bench.expectText("ok", from: request)
                #expect(bench.server.requests.map(\.bodyText) == ["", "body", "body"])
            }
        },
        ConformanceCase("A POST on a stale connection fails and is not sent again") { context in
            try await context.serve(stale, .answer()) { bench in
                _ = try await bench.answer("/first")
                let request = bench.request(.post, body: .data(Data("pay".utf8)))
                await expectFailure(.connectionLost) { try await bench.answer(request) }
                #expect(bench.server.requests.map(\.method) == ["GET", "POST"])
            }
        },
        ConformanceCase("A one-shot body on a stale connection is not sent again") { context in
            try await context.serve(stale, .answer()) { bench in
                _ = try await bench.answer("/first")
                let request = bench.request(.put, body: .texts("body", length: 4))
                await expectFailure(.connectionLost) { try await bench.answer(request) }
                #expect(bench.server.requests.map(\.method) == ["GET", "PUT"])
            }
        },
        ConformanceCase("A GET with a partial response is not sent again") { context in
            let cut: Script = .answer() + .answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")
            try await context.serve(cut, .answer()) { bench in
                _ = try await bench.answer()
                await expectFailure(.incompleteBody) { try await bench.answer() }
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("A connection closed by the server while idle is not reused") { context in
            try await context.serve(.answerAndClose(Script.ok), .answer()) { bench in
                _ = try await bench.answer()
                // Some transports close their side immediately; others check the connection before they use it.
                try? await bench.server.connection(0).waitUntilClosedByClient(within: .seconds(1))
                let request = bench.request(.post, body: .data(Data("pay".utf8)))
                try await bench.expectText("ok", from: request)
                #expect(bench.server.requests.map(\.method) == ["GET", "POST"])
            }
        },
    ]
}
