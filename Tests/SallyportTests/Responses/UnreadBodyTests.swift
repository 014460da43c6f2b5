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

/// Tests responses that could have been replaced by later ones, and that the app gets although their bodies are long or slow.
@Suite(.concurrencyLimited) struct ProvisionalBodyTests {
    private static let long = String(repeating: "0123456789abcdef", count: 10_000)

    /// A body that begins, pauses until the client has waited for it, and goes on.
    private static func slow(_ head: String, _ rest: Script) -> Script {
        [.receiveRequest, .send("HTTP/1.1 \(head)\r\nContent-Length: 10\r\n\r\nstart"), .pause(.milliseconds(1_200))]
            + rest
    }

    private func response(
        to script: Script,
        _ configure: @escaping @Sendable (inout HttpClientConfiguration) -> Void = { _ in }
    ) async throws -> HttpResponse {
        try await withScriptedServer([script]) { server in
            let client = HttpClient.createClient(configure)
            defer { client.close() }
            return try await client.request(request: HttpRequest(url: "http://\(server.authority)/"))
        }
    }

    @Test(arguments: ["302 Found\r\nLocation: /", "401 Unauthorized", "503 Service Unavailable"])
    func `A response that nothing replaces has its complete body, even if it is slow`(head: String) async throws {
        let response = try await response(to: Self.slow(head, [.send("-rest")]))
        #expect(response.bodyAsString() == "start-rest")
    }

    @Test(arguments: ["302 Found\r\nLocation: /", "401 Unauthorized", "503 Service Unavailable"])
    func `A response that nothing replaces has its complete body, even if it is long`(head: String) async throws {
        let length = Self.long.utf8.count
        let answer = "HTTP/1.1 \(head)\r\nContent-Length: \(length)\r\n\r\n\(Self.long)"
        let response = try await response(to: [.receiveRequest, .send(answer)])
        #expect(response.bodyAsString() == Self.long)
    }

    @Test func `A slow body that breaks off is an error`() async throws {
        await expectError(\NetworkError.kind, "incompleteBody") {
            let response = try await response(to: Self.slow("503 Service Unavailable", [.close]))
            return response
        }
    }

    @Test func `A slow body that is longer than the limit is an error`() async throws {
        await expectError(\NetworkError.kind, "responseTooLarge") {
            let response = try await response(to: Self.slow("503 Service Unavailable", [.send("-rest")])) { config in
                config.maximumBodySize = 9
            }
            return response
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
