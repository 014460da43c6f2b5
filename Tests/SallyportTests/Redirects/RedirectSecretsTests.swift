import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RedirectSecretsTests {
    private let server = MockTransport()

    private func follow(_ request: HttpRequest, limit: Int = 5) async throws -> HttpResponse {
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: limit)
            config.allowsPlainHTTP = true
        }
        return try await client.request(request: request)
    }

    private func start(_ build: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
        makeRequest("https://api.example.com/start", build)
    }

    private static let secrets = [
        "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Marked", "Last-Event-ID", "Host",
    ]

    private func withSecrets() -> HttpRequest {
        start { request in
            for name in Self.secrets.dropLast() {
                request.setHeader(name: name, value: "a=1", isSensitive: name == "X-Marked")
            }
            request.setHeader(name: "Host", value: "virtual.example.com")
            request.setHeader(name: "X-Plain", value: "1")
        }
    }

    @Test(arguments: ["https://other.example.com/", "https://api.example.com:8443/", "//example.com/"])
    func `Secrets are removed on a redirect to another origin`(location: String) async throws {
        server.on(nil, "/start", .redirect(to: location))
        server.on(nil, "/", .status(200))
        _ = try await follow(withSecrets())
        let sent = try #require(server.requests.last)
        for name in Self.secrets { #expect(sent.header(name) == nil, "\(name)") }
        #expect(sent.header("X-Plain") == "1")
    }

    @Test func `A redirect from HTTP to HTTPS changes the origin and removes secrets`() async throws {
        server.on(nil, "/start", .redirect(to: "https://api.example.com/"))
        server.on(nil, "/", .status(200))
        _ = try await follow(
            makeRequest("http://api.example.com/start") { $0.setHeader(name: "Authorization", value: "x") }
        )
        #expect(server.requests.last?.header("Authorization") == nil)
    }

    @Test func `Secrets are kept on a redirect within the origin`() async throws {
        server.on(nil, "/start", .redirect(to: "https://API.example.com:443/"))
        server.on(nil, "/", .status(200))
        _ = try await follow(withSecrets())
        let sent = try #require(server.requests.last)
        for name in Self.secrets { #expect(sent.header(name) != nil, "\(name)") }
    }

    @Test func `Secrets are not restored by a redirect back to the first origin`() async throws {
        server.on(nil, "/start", .redirect(to: "https://other.example.com/back"))
        server.on(nil, "/back", .redirect(to: "https://api.example.com/"))
        server.on(nil, "/", .status(200))
        _ = try await follow(withSecrets())
        #expect(server.requests.last?.header("Authorization") == nil)
    }

    @Test func `Attached secrets are removed by a redirect that also removes the body and its headers`() async throws {
        server.on(nil, "/start", .redirect(to: "/end"))
        server.on(nil, "/end", .status(200))
        var request = start { $0.form(parameters: ["a": "1"]) }
        try request.attach(header: "X-Team", value: "1")
        _ = try await follow(request)
        #expect(server.requests.map { $0.header("X-Team") } == ["1", nil])
        #expect(server.requests.map { $0.header("Content-Type") } == ["application/x-www-form-urlencoded", nil])
    }
}
