import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TraceMaskingTests {
    /// A text used as the value of every secret.
    private static let canary = "C4NARY"

    /// Sets every part of a request that may contain a secret.
    private static let secrets: @Sendable (inout HttpRequest, String) -> Void = { request, value in
        request.url =
            "https://api.example.com/a?access_token=\(value)&goto=https%3A%2F%2Fb%2F%3Ftoken%3D\(value)%26x"
            + "&claims=%7B%22password%22%3A%22\(value)%22%7D&any=eyJhbGciOiJub25lIn0.\(value).x"
        request.setParameter(name: "client_assertion", value: value)
        for name in ["Authorization", "Proxy-Authorization", "X-Api-Key", "DPoP", "Set-Cookie"] {
            request.setHeader(name: name, value: value)
        }
        request.setHeader(name: "X-Mine", value: value, isSensitive: true)
        request.setHeader(name: "X-Upstream", value: "Bearer \(value)")
        request.setHeader(name: "Referer", value: "https://a.example/?code=\(value)")
        request.setHeader(name: "Cookie", value: "id=\(value); \(value)")
        request.form(parameters: ["password": value, "note": value])
    }

    private func secretive(_ server: MockTransport) -> HttpClient {
        let jar = CookieJar()
        jar.store(Cookie(name: "id2", value: Self.canary, domain: "api.example.com"))
        return HttpClient.createClient { config in
            config.transport = server
            config.isTraced = true
            config.cookieJar = jar
            config.redirects = .follow(limit: 2)
            config.authentication = [.basic(user: "ada", password: Self.canary, for: "https://other.example.com")]
            config.onRequest { Self.secrets(&$0, Self.canary) }
            config.addInterceptor(
                Intercepting { request, _ in
                    request.body = .none
                    Self.secrets(&request, Self.canary + "2")
                }
            )
            config.onRequest { request in
                if request.action == nil { return }
                request.post(contentType: "application/json", body: "{\"a\": \"\(Self.canary)\"}")
                request.setHeader(name: "Authorization", value: Self.canary)
            }
        }
    }

    private func expectNoCanary(_ trace: InterceptorTrace?, _ location: SourceLocation = #_sourceLocation) throws {
        let trace = try #require(trace, sourceLocation: location)
        var dumped = ""
        dump(trace, to: &dumped)
        #expect(dumped.contains("access_token"), sourceLocation: location)
        #expect(!dumped.contains(Self.canary), sourceLocation: location)
        #expect(!"\(trace)".contains(Self.canary), sourceLocation: location)
        #expect(!String(reflecting: trace).contains(Self.canary), sourceLocation: location)
    }

    @Test(arguments: [(Action("START_AUTHENTICATE"), 1), (nil, 2)] as [(Action?, Int)])
    func `The trace contains no secret`(action: Action?, hops: Int) async throws {
        let server = MockTransport()
        server.on(nil, "/a", .redirect(to: "https://other.example.com/b?code=\(Self.canary)&x=1", status: 307))
        server.on(nil, "/b", .status(200).header(.setCookie, "sid=\(Self.canary)"))
        var request = startAuthenticate()
        request.action = action
        let response = try await secretive(server).request(request: request)
        try expectNoCanary(response.trace)
        #expect(response.trace?.attempts.count == hops)
    }

    @Test func `The trace of an error contains no secret`() async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await secretive(MockTransport { _ in .fail(.connectionFailed("refused")) })
                .request(request: startAuthenticate())
        }
        try expectNoCanary(error?.trace)
        var dumped = ""
        dump(try #require(error), to: &dumped)
        #expect(!(dumped + String(reflecting: error)).contains(Self.canary))
    }

    @Test func `Values that are not secret are shown in the trace`() async throws {
        let (client, _) = makeClient()
        let trace = try #require(try await client.request(request: makeRequest { $0.isTraced = true }).trace)
        #expect("\(trace)".contains("+ header x-requested-with: sallyport-sdk"))
    }
}
