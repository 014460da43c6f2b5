import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportTesting
import TestSupport
import Testing

/// Redirects between real servers, which return the headers that they receive.
@Suite(.concurrencyLimited) struct AdaptedRedirectTests {
    /// An adapter that changes every request in the same way, whatever its origin.
    private struct Adapting: RequestAdapter {
        let journal = Journal()
        var change: @Sendable (inout HttpRequest) throws -> Void = { request in
            request.setHeader(name: "Authorization", value: "Bearer canary")
            request.setHeader(name: "Cookie", value: "sid=canary")
            request.setHeader(name: "X-Api-Key", value: "canary")
            request.setHeader(name: "X-Marked", value: "canary", isSensitive: true)
            request.setHeader(name: "X-Plain", value: "Bearer canary")
            request.setHeader(name: "Accept-Language", value: "en-GB")
        }

        func adapt(_ request: HttpRequest) throws -> HttpRequest {
            journal.add(request.url ?? "")
            var request = request
            try change(&request)
            return request
        }
    }

    private static let secrets = ["authorization", "cookie", "x-api-key", "x-marked", "x-plain"]

    /// Follows redirects of two gateways, beginning at the first.
    ///
    /// - Parameters:
    ///   - path: A closure that returns the target of the first redirect, from the base URLs of both gateways.
    ///   - status: The status of the redirects.
    ///   - request: The request, without its URL.
    /// - Returns: The request that the last server received, and the number of requests that were adapted.
    private func follow(
        status: Int = 302,
        with adapter: Adapting = Adapting(),
        _ request: HttpRequest = HttpRequest(),
        to target: (_ first: String, _ second: String) -> String
    ) async throws -> (echo: EchoedRequest, adapted: Int) {
        try await Gateway.withRunning { first in
            try await Gateway.withRunning { second in
                let client = HttpClient.createClient { config in
                    config.redirects = .follow(limit: 5)
                    config.adapter = adapter
                }
                defer { client.close() }
                var request = request
                request.url = redirect(to: target(first.baseURL, second.baseURL), status: status, at: first.baseURL)
                let response: HttpResponse = try await client.request(request: request)
                return (try response.decode(EchoedRequest.self), adapter.journal.entries.count)
            }
        }
    }

    private func redirect(to url: String, status: Int = 302, at server: String) -> String {
        var request = HttpRequest(url: "\(server)/redirect-to")
        request.setParameter(name: "url", value: url)
        request.setParameter(name: "status", value: "\(status)")
        return (try? request.head()).map { server + ($0.path ?? "") } ?? ""
    }

    @Test func `The adapter runs for a redirect within the origin, whose request carries its credentials`() async throws
    {
        let (echo, adapted) = try await follow { first, _ in "\(first)/echo" }
        #expect(adapted == 2)
        for name in Self.secrets { #expect(echo.headers[name] != nil, "\(name)") }
        #expect(echo.headers["accept-language"] == ["en-GB"])
    }

    @Test(arguments: [302, 307])
    func `A redirect to another origin is adapted, and carries no secret that the adapter sets for every request`(
        status: Int
    ) async throws {
        var request = HttpRequest()
        request.form(parameters: ["user": "ada"])
        let (echo, adapted) = try await follow(status: status, request) { _, second in "\(second)/echo" }
        #expect(adapted == 2)
        for name in Self.secrets { #expect(echo.headers[name] == nil, "\(name)") }
        #expect(!echo.hasCanary)
        #expect(echo.headers["accept-language"] == ["en-GB"])
        #expect(echo.body == (status == 307 ? "user=ada" : ""))
    }

    @Test func `A redirect back to the first origin carries its credentials again`() async throws {
        let (echo, adapted) = try await follow { first, second in redirect(to: "\(first)/echo", at: second) }
        #expect(adapted == 3)
        for name in Self.secrets { #expect(echo.headers[name] != nil, "\(name)") }
    }

    @Test func `A second redirect within another origin carries no secrets either`() async throws {
        let (echo, adapted) = try await follow { _, second in redirect(to: "/echo", at: second) }
        #expect(adapted == 3)
        #expect(!echo.hasCanary)
    }

    @Test func `The adapter cannot change URL, method and body of a redirect to another origin`() async throws {
        let adapter = Adapting { request in
            request.setParameter(name: "access_token", value: "canary")
            request.form(parameters: ["token": "canary"])
            request.setHeader(name: "Content-Type", value: "text/canary")
        }
        var request = HttpRequest()
        request.put(contentType: "application/x-own", body: "own")
        let (echo, _) = try await follow(status: 307, with: adapter, request) { _, second in "\(second)/echo?page=1" }
        #expect(echo.target == "/echo?page=1")
        #expect(echo.body == "own")
        #expect(echo.headers["content-type"] == ["application/x-own"])
        #expect(!echo.hasCanary)
    }

    @Test func `Credentials that the adapter attaches to every request are sent to the first origin only`()
        async throws
    {
        let adapter = Adapting { request in
            try request.attach(authorization: "Bearer canary")
            try request.attach(header: "X-Team", value: "canary")
            request.setHeader(name: "Accept-Language", value: "en-GB")
        }
        let (own, _) = try await follow(with: adapter) { first, _ in "\(first)/echo" }
        #expect(own.headers["authorization"] == ["Bearer canary"])
        #expect(own.headers["x-team"] == ["canary"])
        let (other, _) = try await follow(with: adapter) { _, second in "\(second)/echo" }
        #expect(!other.hasCanary)
        #expect(other.headers["accept-language"] == ["en-GB"])
    }

    @Test func `An adapter can require a secure transport for a redirect to another origin`() async throws {
        let server = MockTransport()
        server.on(.get, "/start", .redirect(to: "https://other.example/end"))
        server.on(.get, "/end", .text("end"))
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 1)
            config.adapter = Adapting { request in
                if request.url?.contains("other.example") == true { request.requiresSecureTransport = true }
            }
        }
        let response: HttpResponse = try await client.request(request: makeRequest("https://api.example.com/start"))
        #expect(response.bodyAsString() == "end")
        #expect(response.request.requiresSecureTransport)
    }

    @Test func `Credentials that the adapter attaches remain with other authentication`() async throws {
        let adapter = Adapting { request in try request.attach(header: "X-Team", value: "team-secret") }
        let (client, server) = makeClient { config in
            config.adapter = adapter
            config.authentication = [.basic(user: "ada", password: "x", for: "https://api.example.com")]
        }
        let _: HttpResponse = try await client.request(request: makeRequest())
        #expect(server.requests.map { $0.header("X-Team") } == ["team-secret"])
        #expect(server.requests.first?.header("Authorization")?.hasPrefix("Basic ") == true)
    }

    @Test func `An invalid header that the adapter sets fails the call at another origin too`() async {
        let adapter = Adapting { request in
            if request.url?.contains("/echo") == true { request.setHeader(name: "X-Bad", value: "a\nb") }
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await follow(with: adapter) { _, second in "\(second)/echo?x=1" }
        }
    }

    @Test func `A page of another origin carries no secret that the adapter sets for every request`() async throws {
        let body = "Content-Length: 2\r\n\r\n[]"
        try await withScriptedServer([[.receiveHead, .send("HTTP/1.1 200 OK\r\n" + body)]]) { second in
            let link = "Link: <http://\(second.authority)/2>; rel=next\r\n"
            try await withScriptedServer([[.receiveHead, .send("HTTP/1.1 200 OK\r\n" + link + body)]]) { first in
                let client = HttpClient.createClient { config in config.adapter = Adapting() }
                defer { client.close() }
                var options = PaginationOptions()
                options.allowsOtherOrigins = true
                let pages = client.pages(request: HttpRequest(url: "http://\(first.authority)/1"), options: options)
                for try await page in pages { #expect(page.status == .ok) }
                #expect(first.requests.map { $0["Authorization"] } == [["Bearer canary"]])
                #expect(second.requests.map { $0["Authorization"] + $0["Cookie"] } == [[]])
                #expect(second.requests.map { $0["Accept-Language"] } == [["en-GB"]])
            }
        }
    }
}

extension EchoedRequest {
    /// A Boolean value that indicates whether the server received the adapter's secrets anywhere in the request.
    fileprivate var hasCanary: Bool { "\(self)".contains("canary") }
}
