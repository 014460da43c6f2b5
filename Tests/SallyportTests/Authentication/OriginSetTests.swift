import ClientTestSupport
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct OriginSetTests {
    @Test(arguments: [
        ("https://api.example.com/a?b", true), ("https://API.example.com:443/", true),
        ("HTTPS://api.example.com", true), ("https://second.example.com:8443/", true),
        ("http://api.example.com/", false), ("https://api.example.com:444/", false),
        ("https://second.example.com/", false), ("https://example.com/", false),
        ("https://api.example.com.evil.example/", false), ("api.example.com", false), ("", false),
    ])
    func `Origins are compared by scheme, host and port`(url: String, isContained: Bool) throws {
        let origins = try OriginSet(["https://Api.Example.com/v1?x=1", "https://second.example.com:8443"])
        #expect(origins.contains(url) == isContained)
        #expect(origins.contains(HttpRequest(url: url)) == isContained)
    }

    @Test func `Origins are normalized and deduplicated, and keep their order`() throws {
        let origins = try OriginSet(["http://b.example:80/x", "https://A.example:443", "https://a.example/y"])
        #expect(Array(origins) == ["http://b.example", "https://a.example"])
        #expect("\(origins)" == "http://b.example, https://a.example")
        #expect(try origins == OriginSet(["https://a.example", "http://b.example"]))
    }

    @Test func `An origin set does not contain a request without a URL`() throws {
        #expect(try !OriginSet(["https://a.example"]).contains(HttpRequest()))
    }

    @Test(arguments: [
        ([], "the set of origins is empty", "specify at least one, such as https://api.example.com"),
        (["https://a.example", "api.example.com"], "an origin is invalid: the URL", "start it with https://"),
        (["ftp://a.example"], "an origin is invalid: the URL", "only http and https can be sent"),
    ])
    func `An empty set or an invalid origin is refused`(urls: [String], reason: String, advice: String) throws {
        let error = #expect(throws: NetworkError.self) { try OriginSet(urls) }
        guard case .invalidRequest(let failure) = try #require(error) else {
            Issue.record("expected an invalid request, not \(String(describing: error))")
            return
        }
        #expect(failure.reason.hasPrefix(reason))
        #expect(failure.advice == advice)
    }

    @Test func `The error for an origin with a password does not show the password`() {
        let error = #expect(throws: NetworkError.self) { try OriginSet(["https://user:pa55@api.example.com"]) }
        #expect(error.map { "\($0)" }?.contains("pa55") == false)
    }

    @Test func `Basic and Digest authentication accept an origin set`() async throws {
        let origins = try OriginSet(["https://api.example.com"])
        let (client, server) = makeClient { config in
            config.authentication = [BasicAuthentication(user: "ann", password: "secret", for: origins)]
        }
        _ = try await client.request(request: makeRequest("https://api.example.com/"))
        _ = try await client.request(request: makeRequest("https://other.example.com/"))
        #expect(server.authorizations == ["Basic YW5uOnNlY3JldA==", nil])
        let digest = DigestAuthentication(user: "ann", password: "secret", for: origins)
        #expect("\(digest)" == "Digest credentials for https://api.example.com")
    }
}
