import Foundation
import Sallyport
import TestSupport
import Testing

/// Tests bodies of responses that a stage of the pipeline does not pass on, and that do not end.
@Suite(.concurrencyLimited) struct UnreadBodyTests {
    private static let ok: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]

    /// The head of a response, followed by a body that does not end.
    private static func endless(_ head: String, closes: Bool) -> Script {
        let fields = closes ? "Connection: close\r\n" : "Transfer-Encoding: chunked\r\n"
        let answer = "HTTP/1.1 \(head)\r\n\(fields)\r\n\(closes ? "start" : "5\r\nstart\r\n")"
        return [
            .receiveRequest, .send(answer),
            .repeating([.send(closes ? "x" : "1\r\nx\r\n"), .pause(.milliseconds(100))], times: 6_000),
        ]
    }

    /// Expects a call to receive the second response, whether its body is streamed or collected.
    private func expectOK(
        _ first: Script,
        _ configure: @escaping @Sendable (inout HttpClientConfiguration, ScriptedServer) -> Void
    ) async throws {
        try await withScriptedServer([first, Self.ok]) { server in
            let client = HttpClient.createClient { configure(&$0, server) }
            defer { client.close() }
            let response = try await client.request(request: HttpRequest(url: "http://\(server.authority)/"))
            #expect(response.bodyAsString() == "ok")
            #expect(server.acceptedConnections == 2)
            try await server.connection(0).waitUntilClosedByClient()
        }
        try await withScriptedServer([first, Self.ok]) { server in
            let client = HttpClient.createClient { configure(&$0, server) }
            defer { client.close() }
            // A call that waits for the body would exceed the timeout.
            let body = try await client.stream(request: HttpRequest(url: "http://\(server.authority)/")) { response in
                try await response.bodyStream.collect(upTo: 100)
            }
            #expect(body == Data("ok".utf8))
            #expect(server.acceptedConnections == 2)
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test(arguments: [true, false])
    func `The body of a redirect is not awaited`(closes: Bool) async throws {
        try await expectOK(Self.endless("302 Found\r\nLocation: /", closes: closes)) { config, _ in
            config.redirects = .follow(limit: 1)
        }
    }

    @Test(arguments: [true, false])
    func `The body of a response with a challenge is not awaited`(closes: Bool) async throws {
        let challenge =
            "401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
        try await expectOK(Self.endless(challenge, closes: closes)) { config, server in
            config.authentication = [
                DigestAuthentication(
                    user: "ann",
                    password: "secret",
                    for: ["http://\(server.authority)"]
                )
            ]
        }
    }

    @Test(arguments: [true, false])
    func `The body of a response before a retry is not awaited`(closes: Bool) async throws {
        try await expectOK(Self.endless("503 Service Unavailable", closes: closes)) { config, _ in
            config.retry = .constant(attempts: 2, delay: .zero)
        }
    }
}

/// Tests responses that a stage could have discarded, and that the call returns although their bodies are slow or long.
@Suite(.concurrencyLimited) struct ReturnedBodyTests {
    private static let heads = [
        "302 Found", "401 Unauthorized\r\nWWW-Authenticate: Bearer", "503 Service Unavailable",
        "503 Service Unavailable\r\nRetry-After: 900",
    ]

    private static let closing = "503 Service Unavailable\r\nConnection: close"

    /// A body that pauses for longer than a call waits for a response that it discards.
    private static func slow(_ head: String, _ rest: Script = [.send("-rest")]) -> Script {
        [.receiveRequest, .send("HTTP/1.1 \(head)\r\nContent-Length: 10\r\n\r\nstart"), .pause(.milliseconds(1_200))]
            + rest
    }

    private func response(
        to script: Script,
        _ configure: @escaping @Sendable (inout HttpClientConfiguration) -> Void = { _ in }
    ) async throws -> HttpResponse {
        try await withScriptedServer([script]) { server in
            let client = HttpClient.createClient { config in
                config.redirects = .follow(limit: 1)
                config.authentication = [
                    DigestAuthentication(user: "ann", password: "secret", for: ["http://\(server.authority)/"])
                ]
                configure(&config)
            }
            defer { client.close() }
            return try await client.request(request: HttpRequest(url: "http://\(server.authority)/"))
        }
    }

    @Test(arguments: heads)
    func `A response that the call returns has its complete body, even if it is slow`(head: String) async throws {
        let response = try await response(to: Self.slow(head)) { config in
            // No second attempt: the server asks for a longer wait, or all attempts have been made.
            config.retry = .constant(attempts: head.contains("Retry-After") ? 2 : 1, delay: .zero)
        }
        #expect(response.bodyAsString() == "start-rest")
    }

    @Test(arguments: heads)
    func `A response that the call returns has its complete body, even if it is long`(head: String) async throws {
        let body = String(repeating: "0123456789abcdef", count: 10_000)
        let answer = "HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let response = try await response(to: [.receiveRequest, .send(answer)])
        #expect(response.bodyAsString() == body)
    }

    @Test func `If the budget of retries is used up, the last response has its complete body`() async throws {
        try await withScriptedServer([Self.slow(Self.closing), Self.slow(Self.closing)]) {
            server in
            let client = HttpClient.createClient { config in
                config.retry = .constant(attempts: 5, delay: .zero)
                config.retryBudget = RetryBudget(retries: 1, perSuccess: 0, perSecond: 0)
            }
            defer { client.close() }
            let response = try await client.request(request: HttpRequest(url: "http://\(server.authority)/"))
            #expect(response.bodyAsString() == "start-rest")
            #expect(response.attempts == 2)
        }
    }

    @Test func `A wire interceptor receives the complete body of each response`() async throws {
        struct Bodies: Interceptor {
            let seen = Watched<[String]>([])

            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                let response = try await next(request)
                seen.update { $0.append(response.bodyAsString()) }
                return response
            }
        }
        let ok: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        try await withScriptedServer([Self.slow(Self.closing), ok]) { server in
            let bodies = Bodies()
            let client = HttpClient.createClient { config in
                config.retry = .constant(attempts: 2, delay: .zero)
                config.addWireInterceptor(bodies)
            }
            defer { client.close() }
            let response = try await client.request(request: HttpRequest(url: "http://\(server.authority)/"))
            #expect(response.bodyAsString() == "ok")
            #expect(bodies.seen.value == ["start-rest", "ok"])
        }
    }

    @Test func `The error after too many redirects does not wait for the body of the last one`() async throws {
        let head = "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 9"
        let redirect: Script = [.receiveRequest, .send("\(head)\r\n\r\nx")]
        try await withScriptedServer([redirect, redirect]) { server in
            let client = HttpClient.createClient { $0.redirects = .follow(limit: 1) }
            defer { client.close() }
            await expectError(\NetworkError.kind, "tooManyRedirects") {
                let response = try await client.request(request: HttpRequest(url: "http://\(server.authority)/"))
                return response
            }
        }
    }

    @Test func `A slow body that breaks off is an error`() async throws {
        await expectError(\NetworkError.kind, "incompleteBody") {
            let response = try await response(to: Self.slow("503 Service Unavailable", [.close]))
            return response
        }
    }

    @Test func `A cache does not store the beginning of a body that a redirect has cut`() async throws {
        let cache = HttpCache(storage: MemoryCacheStorage())
        let head = "301 Moved Permanently\r\nLocation: /ok\r\nCache-Control: max-age=900"
        let cut: Script = [
            .receiveRequest, .send("HTTP/1.1 \(head)\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstart\r\n"),
        ]
        let ok: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        let complete: Script = [.receiveRequest, .send("HTTP/1.1 \(head)\r\nContent-Length: 8\r\n\r\ncomplete")]
        try await withScriptedServer([cut, ok, complete]) { server in
            let request = HttpRequest(url: "http://\(server.authority)/")
            let following = HttpClient.createClient { ($0.redirects, $0.cache) = (.follow(limit: 1), cache) }
            defer { following.close() }
            let followed = try await following.request(request: request)
            #expect(followed.bodyAsString() == "ok")
            let refusing = HttpClient.createClient { $0.cache = cache }
            defer { refusing.close() }
            let refused = try await refusing.request(request: request)
            #expect(refused.bodyAsString() == "complete")
        }
    }

    @Test func `The trace and the recorder of a slow response have its complete body`() async throws {
        let recorder = TrafficRecorder()
        let head = "503 Service Unavailable\r\nContent-Type: text/plain"
        let response = try await response(to: Self.slow(head, [.send("-rest")])) { config in
            config.recorder = recorder
            config.isTraced = true
        }
        #expect(response.bodyAsString() == "start-rest")
        #expect(response.trace?.attempts.last?.status == .serviceUnavailable)
        #expect(recorder.archive().entries.last?.response.content.text == "start-rest")
    }
}
