import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RetryBodyTests {
    private static let cut: [ScriptStep] = [
        .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\ncut"), .close,
    ]
    private static let complete: [ScriptStep] = [
        .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\ncomplete"),
    ]

    @Test func `A body that breaks off is requested again with --retry-all-errors, and written once`() async throws {
        try await withScriptedServer([Self.cut, Self.cut, Self.complete]) { server in
            let arguments = ["get", "http://\(server.authority)/", "--retry", "2", "--retry-delay", "0"]
            let outcome = try await Tool.run(arguments + ["--retry-all-errors"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text == "complete")
            #expect(server.requests.count == 3)
        }
    }

    @Test func `A body that breaks off in each attempt is an error, and nothing of it is written`() async throws {
        try await withScriptedServer([Self.cut, Self.cut]) { server in
            let arguments = ["get", "http://\(server.authority)/", "--retry", "1", "--retry-delay", "0"]
            let outcome = try await Tool.run(arguments + ["--retry-all-errors"])
            #expect(outcome.status == 18, "\(outcome.errors)")
            #expect(outcome.text == "")
            #expect(outcome.errors.contains("in the last of 2 attempts"))
        }
    }

    @Test func `A body that breaks off is not requested again without --retry-all-errors`() async throws {
        try await withScriptedServer([Self.cut, Self.complete]) { server in
            let arguments = ["get", "http://\(server.authority)/", "--retry", "1", "--retry-delay", "0"]
            let outcome = try await Tool.run(arguments)
            #expect(outcome.status == 18, "\(outcome.errors)")
            #expect(outcome.text == "cut")
            #expect(server.requests.count == 1)
        }
    }
}
