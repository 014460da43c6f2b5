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
}
