import ClientTestSupport
import Foundation
import Logging
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// A server repeats the secrets that the client sends to it.
@Suite(.concurrencyLimited) struct ReflectedSecretsTests {
    private static let secret = "horse/staple 7"

    private static let places: [@Sendable (inout HttpRequest) -> Void] = [
        { $0.setHeader(name: "Authorization", value: "Bearer \(secret)") },
        { $0.setHeader(name: "X-Api-Key", value: secret) },
        { $0.setHeader(name: "X-Mine", value: secret, isSensitive: true) },
        { $0.setParameter(name: "token", value: secret) },
        { $0.setCookie(cookie: "sid=\(PercentEncoding.query(secret))") },
        { $0.form(parameters: ["password": secret]) },
        { $0.post(json: ["user": "ada", "password": secret]) },
    ]

    private func echo() -> MockTransport {
        MockTransport { _ in
            MockResponse.json(
                #"{"message": "unknown value \#(Self.secret)", "escaped": "horse\/staple 7"}"#,
                status: 400
            )
            .header(.location, "https://other.example/?x=\(PercentEncoding.query(Self.secret))")
        }
    }

    private func expectNoSecret(_ text: String, _ location: SourceLocation = #_sourceLocation) {
        for form in [
            Self.secret, PercentEncoding.query(Self.secret), PercentEncoding.form(Self.secret), #"horse\/staple 7"#,
        ] {
            #expect(!text.contains(form), "\(text)", sourceLocation: location)
        }
    }

    @Test(arguments: places.indices) func `A secret that the server repeats is masked in the HAR file`(place: Int)
        async throws
    {
        let recorder = TrafficRecorder()
        let client = HttpClient.createClient { config in
            config.transport = echo()
            config.recorder = recorder
        }
        _ = try await client.request { request in
            request.url = "https://api.example.com/a"
            Self.places[place](&request)
        }
        let text = String(decoding: try recorder.archive().data(), as: UTF8.self)
        #expect(text.contains("unknown value ***"))
        expectNoSecret(text)
    }

    @Test(arguments: places.indices) func `A secret that the server repeats is masked in the log`(place: Int)
        async throws
    {
        let journal = Journal()
        let client = HttpClient.createClient { config in
            config.transport = echo()
            config.logger = CapturingLog.logger(journal, level: .trace)
        }
        _ = try await client.request { request in
            request.url = "https://api.example.com/a"
            Self.places[place](&request)
        }
        let text = journal.entries.joined(separator: "\n")
        #expect(text.contains("unknown value ***"))
        expectNoSecret(text)
    }
}
