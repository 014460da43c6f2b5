import Sallyport
import TestSupport
import Testing

@testable import SallyportOAuth

/// A client of an app whose new requests have default values.
private struct AppClient: HttpClientProtocol {
    let client: HttpClient

    func request() -> HttpRequest {
        var request = HttpRequest()
        request.setHeader(name: "X-App", value: "1")
        request.setHeader(name: "Authorization", value: "Bearer canary")
        request.setParameter(name: "tenant", value: "canary")
        request.form(parameters: ["session": "canary"])
        return request
    }

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try await client.request(request: request)
    }

    func close() { client.close() }
}

@Suite(.concurrencyLimited) struct AppClientTests {
    @Test func `Requests have the default values of the app's client, except its secrets`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens())
        let http = HttpClient.createClient { $0.transport = identity.transport }
        let client = identity.client { $0.httpClient = AppClient(client: http) }
        _ = try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
        #expect(identity.transport.requests.count == 2)
        #expect(identity.transport.requests.allSatisfy { $0.header("X-App") == "1" })
        #expect(identity.transport.requests.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test func `Requests have neither parameters nor a body of the app's client`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens())
        let http = HttpClient.createClient { $0.transport = identity.transport }
        let client = identity.client { $0.httpClient = AppClient(client: http) }
        _ = try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
        #expect(identity.transport.requests.map(\.method) == [.get, .post])
        #expect(!identity.transport.requests.contains { "\($0.url) \($0.text)".contains("canary") })
        #expect(identity.transport.requests.first?.header("Content-Type") == nil)
    }

    @Test func `A refresh token is sent once even if the app's client sends with a client that retries`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.status(503), .tokens())
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            var retry = RetryPolicy.constant(attempts: 3, delay: .zero)
            retry.methods.insert(.post)
            config.retry = retry
        }
        let client = identity.client { $0.httpClient = AppClient(client: http) }
        await #expect(throws: OAuthError.self) {
            try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
        }
        #expect(identity.count("/token") == 1)
    }
}
