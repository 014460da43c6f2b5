import Foundation
import PingNetworkCompatibility
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A custom client of both seeds, unchanged except for the first `return`: the body of that method is only the comment.
class MyCustomHttpClient: HttpClient {
    func request() -> HttpRequest {
        MyCustomHttpRequest()
    }

    func request(request: HttpRequest) async -> Result<HttpResponse, Error> {
        // Custom implementation
        return .success(MockHttpResponse(request: request))
    }

    func request(builder: @escaping @Sendable (HttpRequest) -> Void) async -> Result<HttpResponse, Error> {
        let request = self.request()
        builder(request)
        return await self.request(request: request)
    }

    func close() {
        // Clean up resources
    }
}

/// The mock of both seeds, unchanged.
class MockHttpClient: HttpClient {
    var mockResponse: Result<HttpResponse, Error>?

    func request() -> HttpRequest {
        MockHttpRequest()
    }

    func request(request: HttpRequest) async -> Result<HttpResponse, Error> {
        return mockResponse ?? .failure(NetworkError.invalidRequest("No mock response set"))
    }

    func request(builder: @escaping @Sendable (HttpRequest) -> Void) async -> Result<HttpResponse, Error> {
        let request = self.request()
        builder(request)
        return await self.request(request: request)
    }

    func close() {}
}

/// The request of an app's own client, which the seeds do not show. It is not checked for concurrency, because each test uses its own.
private final class MockHttpRequest: HttpRequest, @unchecked Sendable {
    var url: String?
    private var method = HttpMethod.get
    private var headers: [String: String] = [:]

    func setParameter(name: String, value: String) {}
    func setHeader(name: String, value: String) { headers[name] = value }
    func getHeader(name: String) -> String? { headers[name] }
    func getHeaders() -> [String: String] { headers }
    func setCookie(cookie: String) {}
    func setCookies(cookies: [String]) {}
    func setMethod(_ method: HttpMethod) { self.method = method }
    func getMethod() -> HttpMethod { method }
    func setBody(_ body: Data?) {}
    func get() { method = .get }
    func post(json: [String: Any]) { method = .post }
    func put(json: [String: Any]) { method = .put }
    func delete(json: [String: Any]) { method = .delete }
    func post(contentType: String, body: String) { method = .post }
    func put(contentType: String, body: String) { method = .put }
    func delete(contentType: String, body: String) { method = .delete }
    func form(parameters: [String: String]) { method = .post }
}

private typealias MyCustomHttpRequest = MockHttpRequest

/// The response of an app's own client.
private struct MockHttpResponse: HttpResponse {
    let request: HttpRequest
    let status = 204
    let body: Data? = nil
    let headers: [String: [String]] = [:]

    func getHeader(name: String) -> String? { nil }
    func getCookies() -> [HTTPCookie] { [] }
    func getCookieStrings() -> [String] { [] }
    func bodyAsString() -> String { "" }
}

@Suite(.concurrencyLimited) struct CustomClientSamplesTests {
    @Test func `A custom client is used like the one of the module`() async throws {
        let client: HttpClient = MyCustomHttpClient()
        let result = await client.request { request in
            request.url = "https://api.example.com/users"
            request.delete()
        }
        let response = try result.get()
        #expect(response.request is MyCustomHttpRequest)
        #expect(response.request.url == "https://api.example.com/users")
        #expect(response.request.getMethod() == .delete)
        client.close()
    }

    @Test func `A mock returns its result, and an error without one`() async throws {
        let mock = MockHttpClient()
        let client: HttpClient = mock
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { _ in }.get()
        }
        #expect(error?.description == "No mock response set")
        mock.mockResponse = .success(MockHttpResponse(request: client.request()))
        #expect(try await client.request(request: client.request()).get().status == 204)
    }

    @Test func `A client of the module refuses a request of another client`() async throws {
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await HttpClient.createClient().request(request: MockHttpRequest()).get()
        }
        #expect(error?.description.contains("create the request with client.request()") == true)
    }
}
