import ClientTestSupport
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct PrepareForBrowserTests {
    private func authorize(_ build: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
        makeRequest("https://am.example.com/authorize?client_id=app") { request in
            request.action = Action("AUTHORIZE")
            request.setParameter(name: "state", value: "a b")
            build(&request)
        }
    }

    private func clientWith(_ change: @escaping @Sendable (inout HttpRequest) -> Void) -> HttpClient {
        makeClient { $0.addInterceptor(Intercepting { request, _ in change(&request) }) }.client
    }

    @Test func `Interceptors can change the query of a browser URL, and the prepared URL contains all parameters`()
        async throws
    {
        let (client, server) = makeClient { config in
            config.addInterceptor(
                Intercepting { request, action in
                    if action.type == "AUTHORIZE" { request.setParameter(name: "ForceAuth", value: "true") }
                }
            )
            config.onRequest { request in request.setParameter(name: "ui_locales", value: "en-GB") }
            config.onResponse { _ in Issue.record("nothing is sent, so there is no response") }
            config.addInterceptor(Checking())
        }
        let prepared = try await client.prepareForBrowser(authorize())
        #expect(
            prepared.url
                == "https://am.example.com/authorize?client_id=app&state=a%20b&ForceAuth=true&ui_locales=en-GB"
        )
        #expect(prepared.parameters.isEmpty)
        #expect(prepared.action?.type == "AUTHORIZE")
        #expect(server.requests.isEmpty)
    }

    @Test func `Interceptors can replace the URL's own query`() async throws {
        let client = clientWith { request in
            request.url = "HTTPS://AM.example.com:443/authorize?client_id=other"
            request.removeParameter(name: "state")
        }
        let prepared = try await client.prepareForBrowser(authorize())
        #expect(prepared.url == "https://am.example.com/authorize?client_id=other")
    }

    @Test func `Changes to headers, cookies, method and body are discarded, as the browser sends its own`() async throws
    {
        let client = clientWith { request in
            request.setHeader(name: "Accept-Language", value: "en-GB")
            request.setCookie(cookie: "member=gold")
            request.form(parameters: ["a": "1"])
        }
        let prepared = try await client.prepareForBrowser(authorize { $0.setHeader(name: "X-Own", value: "1") })
        #expect(prepared.getHeaders() == ["X-Own": "1"])
        #expect(prepared.getMethod() == .get)
        #expect(prepared.body.text == nil)
        #expect(prepared.url == "https://am.example.com/authorize?client_id=app&state=a%20b")
    }

    @Test(arguments: [
        "https://evil.example.com/authorize", "http://am.example.com/authorize",
        "https://am.example.com:8443/authorize",
        "https://am.example.com/other?client_id=app",
    ])
    func `An interceptor cannot change the origin or path of a browser URL`(_ url: String) async {
        let client = clientWith { $0.url = url }
        await #expect {
            try await client.prepareForBrowser(authorize())
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("from https://am.example.com/authorize to")
                && failure.request == "GET https://am.example.com/authorize?…"
        }
    }

    @Test func `A prepared request with an invalid header name is refused`() async {
        let client = clientWith { $0.setHeader(name: "Bad Name", value: "") }
        await expectError(\NetworkError.kind, "invalidRequest") { try await client.prepareForBrowser(authorize()) }
    }

    /// Refuses each response.
    private struct Checking: MessageInterceptor {
        struct Refusal: Error {}

        func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws { throw Refusal() }
    }

    private struct Answering: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            HttpResponse(status: .ok, request: request)
        }
    }

    @Test func `An interceptor cannot answer a request that a browser sends`() async {
        let (client, _) = makeClient { $0.addInterceptor(Answering()) }
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.prepareForBrowser(authorize())
        }
        #expect(error?.failure.reason == "an interceptor answered the request, which another program is to send")
    }

    @Test func `Preparing a request adds its parameters to the URL`() async throws {
        let (client, _) = makeClient()
        let prepared = try await client.prepareForBrowser(authorize { $0.action = nil })
        #expect(prepared.url == "https://am.example.com/authorize?client_id=app&state=a%20b")
    }

    @Test func `A closed client refuses to prepare a request`() async {
        let (client, _) = makeClient()
        client.close()
        await #expect {
            try await client.prepareForBrowser(authorize())
        } throws: { error in
            if case NetworkError.clientClosed = error { true } else { false }
        }
    }
}
