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
        makeClient { $0.requestInterceptors.register(Intercepting { request, _ in change(&request) }) }.client
    }

    @Test func `The query of a browser's URL can be changed, and it is whole then`() async throws {
        let (client, server) = makeClient { config in
            config.requestInterceptors.register(
                Intercepting { request, action in
                    if action.type == "AUTHORIZE" { request.setParameter(name: "ForceAuth", value: "true") }
                }
            )
            config.addMiddleware { request, _, next in
                request.setParameter(name: "ui_locales", value: "en-GB")
                try await next(&request)
            }
            config.onRequest { _ in Issue.record("nothing is sent, so the app's interceptors are not asked") }
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

    @Test func `The URL's own query may be replaced`() async throws {
        let client = clientWith { request in
            request.url = "HTTPS://AM.example.com:443/authorize?client_id=other"
            request.removeParameter(name: "state")
        }
        let prepared = try await client.prepareForBrowser(authorize())
        #expect(prepared.url == "https://am.example.com/authorize?client_id=other")
    }

    @Test func `Headers, cookies, method and body are the browser's own`() async throws {
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
    func `A browser is not led to another place`(_ url: String) async {
        let client = clientWith { $0.url = url }
        await #expect {
            try await client.prepareForBrowser(authorize())
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("from https://am.example.com/authorize to")
                && failure.request == "GET https://am.example.com/authorize?…"
        }
    }

    @Test func `A mistake of an interceptor is an error here too`() async {
        let client = clientWith { $0.setHeader(name: "Bad Name", value: "") }
        await expectError(\NetworkError.kind, "invalidRequest") { try await client.prepareForBrowser(authorize()) }
    }

    @Test func `A request without an action is only made whole`() async throws {
        let client = clientWith { _ in Issue.record("it is for requests with an action") }
        let prepared = try await client.prepareForBrowser(authorize { $0.action = nil })
        #expect(prepared.url == "https://am.example.com/authorize?client_id=app&state=a%20b")
    }

    @Test func `A closed client prepares nothing`() async {
        let (client, _) = makeClient()
        client.close()
        await #expect {
            try await client.prepareForBrowser(authorize())
        } throws: { error in
            if case NetworkError.clientClosed = error { true } else { false }
        }
    }
}
