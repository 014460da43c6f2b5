import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct BasicAuthenticationTests {
    private func authorization(_ user: String, _ password: String) async throws -> String? {
        let (client, server) = makeClient { config in
            config.authentication = [.basic(user: user, password: password, for: "https://api.example.com")]
        }
        _ = try await client.request(request: makeRequest())
        return server.authorizations.last ?? nil
    }

    @Test(arguments: [
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{A3}", "dGVzdDoxMjPCow=="),
        ("", "", "Og=="), ("u\u{308}", "a:b", "w7w6YTpi"),
    ])
    func `Credentials are encoded as in the examples of RFC 7617`(user: String, password: String, credentials: String)
        async throws
    {
        #expect(try await authorization(user, password) == "Basic \(credentials)")
    }

    @Test(arguments: [
        ("a:b", "secret", "colon"), ("a\nb", "secret", "user name contains a control character"),
        ("ann", "sec\u{0}ret", "password contains a control character"),
        ("ann", "sec\u{85}ret", "password contains a control character"),
    ])
    func `Credentials that Basic cannot represent are refused before anything is sent`(
        user: String,
        password: String,
        words: String
    ) async throws {
        let (client, server) = makeClient { config in
            config.authentication = [.basic(user: user, password: password, for: "https://other.example.com")]
        }
        await #expect {
            try await client.request(request: makeRequest())
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains(words) && !"\(error)".contains(password) && !"\(error)".contains("ret")
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [[], ["api.example.com"], ["ftp://api.example.com"], ["https://u:pa55@api.example.com"]])
    func `Credentials without a valid origin are refused before anything is sent`(origins: [String]) async throws {
        let (client, server) = makeClient { config in
            config.authentication = [BasicAuthentication(user: "a", password: "b", for: origins)]
        }
        await #expect {
            try await client.request(request: makeRequest())
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("origin") && !"\(error)".contains("pa55")
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        ("https://api.example.com/a?b", true), ("https://API.example.com:443/", true),
        ("http://api.example.com/", false), ("https://api.example.com:444/", false),
        ("https://example.com/", false), ("https://api.example.com.evil.example/", false),
        ("https://second.example.com:8443/", true),
    ])
    func `Credentials are sent only to the configured origins`(url: String, isSent: Bool) async throws {
        let (client, server) = makeClient { config in
            config.allowsPlainHTTP = true
            let origins = ["https://api.example.com/v1", "https://second.example.com:8443"]
            config.authentication = [BasicAuthentication(user: "ann", password: "secret", for: origins)]
        }
        _ = try await client.request(request: makeRequest(url))
        #expect((server.authorizations.last ?? nil) == (isSent ? "Basic YW5uOnNlY3JldA==" : nil))
    }

    @Test func `A redirect to another origin carries no credentials, and a redirect back carries them again`()
        async throws
    {
        let server = MockTransport()
        server.on(nil, "/start", .redirect(to: "https://other.example.com/back"))
        server.on(nil, "/back", .redirect(to: "https://api.example.com/"))
        server.on(nil, "/", .status(200))
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 5)
            config.authentication = [.basic(user: "ann", password: "secret", for: "https://api.example.com")]
        }
        _ = try await client.request(request: makeRequest("https://api.example.com/start"))
        #expect(server.authorizations == ["Basic YW5uOnNlY3JldA==", nil, "Basic YW5uOnNlY3JldA=="])
    }

    @Test func `An Authorization header set by the app is not replaced`() async throws {
        let (client, server) = makeClient { config in
            config.authentication = [
                .basic(user: "ann", password: "secret", for: "https://api.example.com"),
                .digest(user: "ann", password: "secret", for: "https://api.example.com"),
            ]
        }
        _ = try await client.request(
            request: makeRequest { $0.setHeader(name: "Authorization", value: "Bearer mine") }
        )
        #expect(server.authorizations == ["Bearer mine"])
    }

    @Test func `The first credentials that match the origin are used`() async throws {
        let (client, server) = makeClient { config in
            config.authentication = [
                .basic(user: "a", password: "a", for: "https://other.example.com"),
                .basic(user: "b", password: "b", for: "https://api.example.com"),
                .basic(user: "c", password: "c", for: "https://api.example.com"),
            ]
        }
        _ = try await client.request(request: makeRequest())
        #expect(server.authorizations == ["Basic Yjpi"])
    }

    @Test func `A wire interceptor sees the credentials and cannot send them to another origin`() async throws {
        let journal = Journal()
        let (client, server) = makeClient { config in
            config.authentication = [.basic(user: "ann", password: "secret", for: "https://api.example.com")]
            config.addWireInterceptor(
                RequestHook { request in
                    journal.add(request.getHeader(name: "Authorization") ?? "")
                    request.url = "https://other.example.com/"
                }
            )
        }
        await #expect {
            try await client.request(request: makeRequest())
        } throws: { error in
            "\(error)".contains("a wire interceptor sends the credentials of https://api.example.com to https://other")
        }
        #expect(journal.entries == ["Basic YW5uOnNlY3JldA=="])
        #expect(server.requests.isEmpty)
    }

    @Test func `A request reused from a response is sent to another origin without its credentials`() async throws {
        let (client, server) = makeClient { config in
            config.authentication = [.basic(user: "ann", password: "secret", for: "https://api.example.com")]
        }
        var request = try await client.request(request: makeRequest()).request
        #expect(request.getHeader(name: "Authorization") == "Basic YW5uOnNlY3JldA==")
        request.url = "https://other.example.com/"
        _ = try await client.request(request: request)
        #expect(server.authorizations == ["Basic YW5uOnNlY3JldA==", nil])
    }

    @Test(arguments: [("https://api.example.com/end", true), ("https://other.example.com/end", false)])
    func `A request reused from a response gets the current client's credentials on each hop within the origin`(
        location: String,
        isSent: Bool
    ) async throws {
        let server = MockTransport()
        server.on(nil, "/start", .redirect(to: location))
        server.on(nil, "/end", .status(200))
        var passwords = ["old", "new"].makeIterator()
        var request = makeRequest("https://api.example.com/start")
        while let password = passwords.next() {
            let (client, _) = makeClient(server) { config in
                config.redirects = password == "new" ? .follow(limit: 1) : .refuse
                config.authentication = [.basic(user: "a", password: password, for: "https://api.example.com")]
            }
            request = try await client.request(request: request).request
        }
        let new = "Basic YTpuZXc="
        #expect(server.authorizations == ["Basic YTpvbGQ=", new, isSent ? new : nil])
    }

    @Test func `A client without credentials removes those of a reused request on a redirect to another origin`()
        async throws
    {
        let server = MockTransport()
        server.on(nil, "/start", .redirect(to: "https://other.example.com/end"))
        server.on(nil, "/end", .status(200))
        let (first, _) = makeClient(server) { config in
            config.authentication = [.basic(user: "a", password: "old", for: "https://api.example.com")]
        }
        let request = try await first.request(request: makeRequest("https://api.example.com/start")).request
        let (second, _) = makeClient(server) { $0.redirects = .follow(limit: 1) }
        #expect(try await second.request(request: request).status == .ok)
        #expect(server.authorizations == ["Basic YTpvbGQ=", "Basic YTpvbGQ=", nil])
    }

    @Test func `Descriptions, dumps and logs show neither user name nor password`() async throws {
        let journal = Journal()
        let (client, _) = makeClient(.asking(Mufasa.challenge("MD5"))) { config in
            config.logger = CapturingLog.logger(journal)
            config.authentication = [
                .digest(user: "ann", password: "s3cret", for: "https://api.example.com"),
                .basic(user: "ann", password: "s3cret", for: "https://other.example.com"),
            ]
        }
        var shown = client.configuration.authentication.map { "\($0) \(String(reflecting: $0))" }.joined()
        dump(client.configuration, to: &shown)
        for url in ["https://api.example.com/", "https://other.example.com/"] {
            let response = try await client.request(request: makeRequest(url))
            shown += response.request.curlDescription + "\(response) \(response.request)"
            dump(response, to: &shown)
        }
        shown += journal.entries.joined()
        #expect(shown.contains("Digest credentials for https://api.example.com"))
        #expect(shown.contains("Authorization: ***"))
        for secret in ["s3cret", "YW5u", "username", "ann\"", "response="] {
            #expect(!shown.contains(secret), "\(secret)")
        }
    }
}
