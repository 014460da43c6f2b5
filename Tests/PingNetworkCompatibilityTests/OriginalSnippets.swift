import PingNetworkCompatibility

// The Swift blocks of Docs/Guides.docc/Migrating-from-PingNetwork.md that use PingNetwork.

private enum Originals {
    static func load(client: HttpClient) async {
        let result = await client.request { request in
            request.url = "https://api.example.com/users"
            request.setParameter(name: "page", value: "1")
            request.get()
        }
        switch result {
        case .success(let response): print(response.status, response.bodyAsString())
        case .failure(let error): print("\(error)")
        }
    }

    static func configured(token: String) -> HttpClient {
        let client = HttpClient.createClient { config in
            config.timeout = 30
            config.onRequest { request in
                request.setHeader(name: "Authorization", value: "Bearer \(token)")
            }
            config.onResponse { response in print("\(response.status)") }
        }
        return client
    }

    static func reused(client: HttpClient) async -> Result<HttpResponse, Error> {
        let request = client.request()
        request.url = "https://api.example.com/users"
        let result = await client.request(request: request)
        return result
    }

    static func failed(_ error: Error) {
        if let networkError = error as? NetworkError {
            switch networkError {
            case .timeout: print("Request timed out")
            case .invalidRequest(let message): print("Invalid request: \(message)")
            case .networkError(let underlying): print("Network error: \(underlying)")
            case .invalidResponse(let message): print("Invalid response: \(message)")
            }
        }
    }

    final class MockHttpClient: HttpClient {
        let mockResponse: Result<HttpResponse, Error>

        init(_ mockResponse: Result<HttpResponse, Error>) { self.mockResponse = mockResponse }

        func request() -> HttpRequest { HttpClientFactory().createClient().request() }
        func request(request: HttpRequest) async -> Result<HttpResponse, Error> { mockResponse }
        func request(builder: @escaping @Sendable (HttpRequest) -> Void) async -> Result<HttpResponse, Error> {
            mockResponse
        }

        func close() {}
    }
}
