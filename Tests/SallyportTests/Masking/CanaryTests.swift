import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

/// Sends 300 secrets to a server that repeats them, and searches for them in everything that a client shows or stores.
@Suite(.busy) struct CanaryTests {
    /// Copies the secrets to another header field, and fails for requests to one path with an error that quotes them.
    private struct Copying: Interceptor {
        struct Quoting: Error, CustomStringConvertible { let description: String }

        let canaries: [String]

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            let text = "\(SecretiveRequest.marker) \(canaries.joined(separator: " "))"
            if request.url?.contains("/500/") == true { throw Quoting(description: text) }
            var request = request
            request.setHeader(name: "X-Stage", value: text)
            return try await next(request)
        }
    }

    /// Returns a request whose path repeats a secret.
    private func request(_ secretive: SecretiveRequest, to base: String, status: Int) -> HttpRequest {
        var request = HttpRequest(url: "\(base)/\(status)/\(secretive.canaries[0])?\(secretive.query)")
        request.post(contentType: secretive.type, body: "")
        request.setBody(Data(secretive.body))
        for field in secretive.fields { request.setHeader(name: field.name, value: field.value) }
        return request
    }

    private func check(_ outputs: [(name: String, text: String)], _ secretive: SecretiveRequest) {
        for (name, text) in outputs {
            #expect(secretive.leaks(in: text).isEmpty, "\(name): \(text)")
            #expect(text.contains(SecretiveRequest.marker), "\(name): \(text)")
            #expect(text.contains("***"), "\(name): \(text)")
        }
    }

    @Test func `The requests contain 300 different secrets`() {
        let canaries = SecretiveRequest.all.flatMap(\.canaries)
        #expect(canaries.count >= 300)
        #expect(Set(canaries).count == canaries.count)
    }

    @Test(arguments: SecretiveRequest.all)
    func `No output contains a secret that was sent, and each shows what was sent beside it`(
        secretive: SecretiveRequest
    )
        async throws
    {
        let (journal, recorder) = (Journal(), TrafficRecorder())
        let failing = HttpClient.createClient { config in
            config.redirects = .follow(limit: 1)
            config.addInterceptor(Copying(canaries: secretive.canaries))
        }
        let client = failing.derived { config in
            config.logger = CapturingLog.logger(journal)
            config.recorder = recorder
            config.isTraced = true
        }
        defer { failing.close() }
        try await AnsweringServer.run(answering: { received, _ in secretive.echo(to: received) }) { server in
            let refused = try await client.request(request: request(secretive, to: server.baseURL, status: 400))
            let masker = SecretMasker(sentBy: refused.request)
            let message = ServerMessage(in: refused.body ?? Data(), contentType: "application/json", masking: masker)
            let trace = try #require(refused.trace)
            #expect(server.requests.first.map { secretive.leaks(in: "\($0.fields)").isEmpty } == false)
            let redirected = await failure { () async throws(NetworkError) in
                try await failing.request(request: request(secretive, to: server.baseURL, status: 302))
            }
            let quoting = await failure { () async throws(NetworkError) in
                try await failing.request(request: request(secretive, to: server.baseURL, status: 500))
            }
            check(
                [
                    ("trace", "\(trace)"), ("the message of the server", message.message ?? ""),
                    ("status", refused.statusSummary), ("log", journal.entries.joined(separator: "\n")),
                    ("HAR", String(decoding: try recorder.archive().data(), as: UTF8.self)),
                    ("redirect", redirected.map { "\($0)" } ?? ""), ("interceptor", quoting.map { "\($0)" } ?? ""),
                ],
                secretive
            )
            #expect(secretive.leaks(in: "\(refused.request)").isEmpty)
        }
    }

    @Test(arguments: SecretiveRequest.all)
    func `No recording contains a secret that was sent, and it contains what was sent beside it`(
        secretive: SecretiveRequest
    ) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("canaries.har")
            let transport = try RecordingTransport(file: file) { $0.mode = .all }
            let client = HttpClient.createClient { $0.transport = transport }
            try await AnsweringServer.run(answering: { received, _ in secretive.echo(to: received) }) { server in
                _ = try await client.request(request: request(secretive, to: server.baseURL, status: 400))
            }
            try await transport.finish()
            check([("recording", try String(contentsOf: file, encoding: .utf8))], secretive)
        }
    }
}
