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

    private func expectOK(
        _ first: Script,
        _ configure: @escaping @Sendable (inout HttpClientConfiguration, ScriptedServer) -> Void
    ) async throws {
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
