import ArgumentParser
import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct RetryTests {
    private static let busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
    private static let ready = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"

    /// Runs a call to a server whose first response is an error.
    ///
    /// - Returns: The outcome, and the requests that the server received.
    private func call(
        _ verb: String,
        _ arguments: String...,
        first: String = busy
    ) async throws -> (outcome: Tool.Outcome, requests: [ReceivedRequest]) {
        let once: [ScriptStep] = [.receiveHead, .send(first)]
        let script = once + [.receiveHead, .send(Self.ready)]
        return try await withScriptedServer([script]) { server in
            let outcome = try await Tool.run([verb, "http://\(server.authority)/"] + arguments)
            return (outcome, server.requests)
        }
    }

    @Test func `A request is repeated only with --retry`() async throws {
        let once = try await call("get", "--fail")
        #expect(once.outcome.status == 22)
        #expect(once.requests.count == 1)
        let again = try await call("get", "--retry", "2", "--retry-delay", "0", "--fail")
        #expect(again.outcome.status == 0)
        #expect(again.outcome.text == "there")
        #expect(
            again.outcome.errors == "sallyport: the server answered 503 Service Unavailable; retrying immediately\n"
        )
        #expect(again.requests.count == 2)
    }

    @Test func `A POST is repeated only with --retry-all-methods or --idempotency-key`() async throws {
        let refused = try await call("post", "--retry", "1", "--retry-delay", "0", "--fail")
        #expect(refused.requests.count == 1)
        let forced = try await call("post", "--retry", "1", "--retry-delay", "0", "--retry-all-methods")
        #expect(forced.requests.count == 2)
        let keyed = try await call("post", "--retry", "1", "--retry-delay", "0", "--idempotency-key")
        let keys = keyed.requests.map { $0["Idempotency-Key"] }
        #expect(keys.count == 2 && keys.first == keys.last && keys.first?.count == 1)
    }

    @Test func `A permanent error status is retried only with --retry-all-errors`() async throws {
        let first = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        let refused = try await call("get", "--retry", "1", "--retry-delay", "0", first: first)
        #expect(refused.requests.count == 1)
        let again = try await call("get", "--retry", "1", "--retry-delay", "0", "--retry-all-errors", first: first)
        #expect(again.outcome.text == "there")
    }

    @Test
    func `With --retry-all-errors, a request whose body breaks off is repeated, and only the complete body is written`()
        async throws
    {
        let broken: [ScriptStep] = [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthe"), .close]
        let complete: [ScriptStep] = [.receiveHead, .send(Self.ready)]
        let retries = ["--retry", "2", "--retry-delay", "0"]
        try await withScriptedServer([broken, broken, complete]) { server in
            let url = "http://\(server.authority)/"
            let outcome = try await Tool.run(["get", url] + retries + ["--retry-all-errors"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text == "there")
            #expect(server.requests.count == 3)
        }
        try await withScriptedServer([broken, complete]) { server in
            let outcome = try await Tool.run(["get", "http://\(server.authority)/"] + retries)
            #expect(outcome.status == 18)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `No attempt begins after --retry-max-time or the end of --timeout`() async throws {
        let first = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 20\r\nContent-Length: 0\r\n\r\n"
        for option in ["--retry-max-time", "--timeout"] {
            let outcome = try await call("get", "--retry", "5", option, "10", "--fail", first: first).outcome
            #expect(outcome.status == 22)
            #expect(!outcome.errors.contains("retrying"))
        }
    }

    @Test func `The error after retries states the number of attempts`() async throws {
        try await withSilentPort { port in
            let outcome = try await Tool.run("get", "http://127.0.0.1:\(port)/", "--retry", "2", "--retry-delay", "0")
            #expect(outcome.status == 7)
            #expect(outcome.errors.contains("in the last of 3 attempts"))
        }
    }

    @Test func `The option --curl prints curl's retry options`() async throws {
        let outcome = try await Tool.run(
            "get",
            "http://example.com/",
            "--retry",
            "3",
            "--retry-delay",
            "1.5",
            "--retry-max-time",
            "9",
            "--curl"
        )
        #expect(outcome.text.contains(" --retry 3 --retry-delay 2 --retry-max-time 9 --retry-connrefused"))
    }

    @Test func `Without --retry, the other options change the retries that a transfer makes by default`() async throws {
        let script: [ScriptStep] = [.receiveHead, .send(Self.busy), .receiveHead, .send(Self.ready)]
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([script]) { server in
                let file = folder.appendingPathComponent("a").path
                let outcome = try await Tool.run("download", "http://\(server.authority)/", file, "--retry-delay", "0")
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.errors.contains("retrying immediately"), "\(outcome.errors)")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "there")
            }
        }
    }

    @Test func `Options that change retries keep the number of each command`() throws {
        let standard = RetryPolicy.exponential(attempts: 5)
        let unchanged = try RetryOptions.parse([]).policy(replacing: standard)
        #expect(
            unchanged.attempts == 5 && unchanged.backoff == standard.backoff && unchanged.methods == standard.methods
        )
        let changed = try RetryOptions.parse(["--retry-delay", "2", "--retry-max-time", "9", "--retry-all-methods"])
        let policy = changed.policy(replacing: standard)
        #expect(policy.attempts == 5 && policy.backoff == .constant(.seconds(2)) && policy.longestTime == .seconds(9))
        #expect(policy.methods.contains(.post))
        #expect(try RetryOptions.parse(["--retry", "0"]).policy(replacing: standard).attempts == 1)
        let unlimited = try RetryOptions.parse(["--retry", "2", "--retry-max-time", "0"]).policy(replacing: standard)
        #expect(unlimited.attempts == 3 && unlimited.longestTime == nil)
        #expect(throws: Never.self) { try EventsCommand.parse(["http://a.test/", "--retry-delay", "1"]) }
    }

    @Test(
        arguments: [
            ["--retry-delay", "1"], ["--retry-max-time", "1"], ["--retry-all-errors"], ["--retry-all-methods"],
            ["--retry", "-1"], ["--retry", "1", "--retry-delay", "nan"],
        ]
    )
    func `A retry option without --retry or with an invalid number is a usage error`(options: [String]) async throws {
        let outcome = try await Tool.run(["get", "http://example.com/"] + options)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--retry"))
    }
}
