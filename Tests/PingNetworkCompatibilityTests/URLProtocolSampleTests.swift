import Foundation
import PingNetworkCompatibility
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The mock of both seeds, unchanged.
class MockURLProtocol: URLProtocol {
    static var requestHandler: ((URLRequest) throws -> (HTTPURLResponse, Data))?

    override class func canInit(with request: URLRequest) -> Bool {
        return true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        return request
    }

    override func startLoading() {
        guard let handler = MockURLProtocol.requestHandler else {
            return
        }

        do {
            let (response, data) = try handler(request)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {}
}

/// Calls a client while the mock is registered.
private func call(timeout: TimeInterval = 15) async -> Result<HttpResponse, Error> {
    // Register in your tests
    URLProtocol.registerClass(MockURLProtocol.self)
    defer { URLProtocol.unregisterClass(MockURLProtocol.self) }
    let client = HttpClient.createClient { config in config.timeout = timeout }
    return await client.request { request in
        request.url = "https://api.example.com/search"
        request.setParameter(name: "q", value: "swift")
        request.setHeader(name: "Accept", value: "text/plain")
    }
}

/// Makes the mock respond to every request.
private func respond(_ status: Int, headers: [String: String] = ["Content-Type": "text/plain"]) {
    MockURLProtocol.requestHandler = { request in
        let url = try #require(request.url)
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers)
        return (try #require(response), Data("mocked".utf8))
    }
}

/// Each test runs in a process of its own, as a registered class answers the requests of every `URLSession` of a process.
@Suite(.concurrencyLimited) struct URLProtocolSampleTests {
    @Test func `A registered class answers the requests of clients`() async {
        await #expect(processExitsWith: .success) {
            MockURLProtocol.requestHandler = { request in
                let url = try #require(request.url)
                #expect(url.absoluteString == "https://api.example.com/search?q=swift")
                #expect(request.httpMethod == "GET")
                #expect(request.value(forHTTPHeaderField: "Accept") == "text/plain")
                #expect(request.value(forHTTPHeaderField: "x-requested-with") == "ping-sdk")
                let headers = ["Content-Type": "text/plain"]
                let response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: headers)
                return (try #require(response), Data("mocked".utf8))
            }
            let response = try await call().get()
            #expect(response.status == 201)
            #expect(response.headers["Content-Type"] == ["text/plain"])
            #expect(response.bodyAsString() == "mocked")
        }
    }

    @Test func `A registered class also answers the requests of a shared session`() async {
        await #expect(processExitsWith: .success) {
            respond(201)
            URLProtocol.registerClass(MockURLProtocol.self)
            defer { URLProtocol.unregisterClass(MockURLProtocol.self) }
            let url = try #require(URL(string: "https://api.example.com/"))
            let (body, response) = try await URLSession.shared.data(from: url)
            #expect((response as? HTTPURLResponse)?.statusCode == 201)
            #expect(body == Data("mocked".utf8))
        }
    }

    @Test func `Cookies that the platform joins are separate again`() async {
        await #expect(processExitsWith: .success) {
            respond(200, headers: ["Set-Cookie": "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT, b=2; Path=/"])
            let response = try await call().get()
            #expect(
                response.getCookieStrings() == ["a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "b=2; Path=/"]
            )
            #expect(response.getCookies().map(\.name) == ["a", "b"])
        }
    }

    @Test func `Cookies that are separated by a line break are separate`() async {
        await #expect(processExitsWith: .success) {
            respond(200, headers: ["Set-Cookie": "a=1; Path=/\nb=2"])
            let response = try await call().get()
            #expect(response.getCookieStrings() == ["a=1; Path=/", "b=2"])
            #expect(response.getCookies().map(\.name) == ["a", "b"])
        }
    }

    @Test func `The error of a registered class is the underlying error of the call`() async {
        await #expect(processExitsWith: .success) {
            MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }
            let result = await call()
            guard case .failure(NetworkError.networkError(let underlying)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect((underlying as? URLError)?.code == .notConnectedToInternet)
        }
    }

    @Test func `A registered class that does not respond makes the call time out`() async {
        await #expect(processExitsWith: .success) {
            MockURLProtocol.requestHandler = nil
            await expectError(\NetworkError.description, "the call exceeded its timeout") {
                try await call(timeout: 0.2).get()
            }
        }
    }

    @Test func `A class that is no longer registered is not used`() async {
        await #expect(processExitsWith: .success) {
            MockURLProtocol.requestHandler = { _ in throw URLError(.unknown) }
            _ = await call()
            try await SampleGateway.run { gateway in
                let client = gateway.factory.createClient()
                let response = try await client.request { $0.url = "https://api.example.com/" }.get()
                #expect(response.status == 200)
            }
        }
    }
}
