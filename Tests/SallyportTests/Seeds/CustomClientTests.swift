import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

/// The custom clients of the seeds: `MockHttpClient` and `MyCustomHttpClient`.
private struct MockHttpClient: HttpClientProtocol {
    var mockResponse: Result<HttpResponse, NetworkError>?

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try (mockResponse ?? .failure(NetworkError.invalidRequest("No mock response set"))).get()
    }

    func close() {}
}

/// A client that implements each requirement itself.
private final class MyCustomHttpClient: HttpClientProtocol {
    func request() -> HttpRequest { HttpRequest(url: "https://example.com/base") }

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        HttpResponse(status: .noContent, request: request)
    }

    func request(_ builder: (inout HttpRequest) -> Void) async throws(NetworkError) -> HttpResponse {
        var request = request()
        builder(&request)
        return try await self.request(request: request)
    }

    func close() {}
}

@Suite(.concurrencyLimited) struct CustomClientTests {
    private let mock = MockHttpClient(mockResponse: .success(HttpResponse(status: .ok, request: HttpRequest())))

    @Test func `A custom client has the throwing and the Result form of a call, also as an existential`() async throws {
        let thrown = try await mock.request { $0.url = "https://example.com/" }
        let result: Result<HttpResponse, NetworkError> = await mock.request { $0.url = "https://example.com/" }
        #expect(try thrown.status == result.get().status)

        let any: any HttpClientProtocol = mock
        let thrownByAny = try await any.request { $0.url = "https://example.com/" }
        let resultOfAny: Result<HttpResponse, NetworkError> = await any.request(request: any.request())
        #expect(try thrownByAny.status == resultOfAny.get().status)
    }

    @Test func `Both forms of a call report errors`() async {
        let mock = MockHttpClient()
        await expectError(\NetworkError.kind, "invalidRequest") { try await mock.request { _ in } }
        let result: Result<HttpResponse, NetworkError> = await mock.request { _ in }
        expectError(\NetworkError.kind, "invalidRequest") { try result.get() }
    }

    @Test func `A custom client can create requests with its own defaults`() async throws {
        let client = MyCustomHttpClient()
        let response = try await client.request { $0.setMethod(.delete) }
        #expect(response.request.url == "https://example.com/base")
        client.close()
    }

    @MainActor @Test func `A builder closure can use main-actor state`() async throws {
        let screen = Screen()
        let client: any HttpClientProtocol = mock
        _ = try await client.request { request in
            request.url = screen.url
            screen.builds += 1
        }
        let result: Result<HttpResponse, NetworkError> = await client.request { request in
            request.url = screen.url
            screen.builds += 1
        }
        _ = try result.get()
        #expect(screen.builds == 2)
    }
}

@MainActor private final class Screen {
    let url = "https://example.com/"
    var builds = 0
}
