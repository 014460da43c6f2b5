import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// The examples of the seeds 000 and 004, as near to their text as a value-type request allows.
@Suite(.concurrencyLimited) struct SeedClientExamplesTests {
    private let server = MockTransport { _ in MockResponse.json(#"{"id": 1}"#).header(.setCookie, "id=1") }
    private let token = "abc"

    private var client: HttpClient {
        HttpClient.createClient { config in config.transport = server }
    }

    private func sent() throws -> MockRequest { try #require(server.requests.last) }

    @Test func `Example: configuring the HTTP client`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.timeout = 30.0  // Set timeout to 30 seconds
            config.logger = LogManager.standard  // Enable logging
        }
        _ = try await client.request { $0.url = "https://api.example.com/" }
        #expect(try sent().timeouts.total?.roundedUp == 30)
        client.close()
    }

    @Test func `Example: request and response interceptors`() async throws {
        let token = token
        let stored = Journal()
        let client = HttpClient.createClient { config in
            config.transport = server
            // Add authentication token to all requests
            config.onRequest { request in
                request.setHeader(name: "Authorization", value: "Bearer \(token)")
            }
            // Add custom user agent
            config.onRequest { request in
                request.setHeader(name: "User-Agent", value: "MyApp/1.0")
            }
            // Log all responses
            config.onResponse { response in
                print("Response: \(response.status) - \(response.request.url ?? "")")
            }
            // Extract and store cookies
            config.onResponse { response in
                let cookies = response.getCookies()
                for cookie in cookies { stored.add(cookie.name) }
            }
        }
        _ = try await client.request { $0.url = "https://api.example.com/" }
        #expect(try sent().header("Authorization") == "Bearer abc")
        #expect(try sent().header("User-Agent") == "MyApp/1.0")
        #expect(stored.entries == ["id"])
    }

    @Test func `Example: working with responses`() async throws {
        let response = try await client.request { request in
            request.url = "https://api.example.com/data"
            request.get()
        }

        if response.status.isSuccess() {
            // Get body as string
            let bodyString = response.bodyAsString()
            #expect(bodyString == #"{"id": 1}"#)

            // Get raw body data
            if let bodyData = response.body {
                let json = try? JSONSerialization.jsonObject(with: bodyData)
                #expect(json is [String: Any])
            }

            // Get specific header
            if let contentType = response.getHeader(name: "Content-Type") {
                print("Content-Type: \(contentType)")
            }

            // Get all headers
            let allHeaders = response.headers
            #expect(allHeaders["Content-Type"]?.first == "application/json")

            // Get cookies
            let cookies = response.getCookies()
            let cookieStrings = response.getCookieStrings()
            #expect(cookies.map(\.name) == ["id"])
            #expect(cookieStrings == ["id=1"])
        } else if response.status.isRedirect() || response.status.isClientError() || response.status.isServerError() {
            Issue.record("not a success")
        }
        #expect(response.status.isSuccess())
        #expect(response.body?.isEmpty == false)
    }

    @Test func `Example: reusing HttpRequest values`() async throws {
        let client = client
        var request = client.request()
        request.url = "https://api.example.com/users"
        request.setHeader(name: "Accept", value: "application/json")
        request.get()

        _ = try await client.request(request: request)
        _ = try await client.request(request: request)
        #expect(server.requests.count == 2)
    }

    @Test func `Example: error handling`() async {
        var told = ""
        do {
            _ = try await client.request { request in
                request.url = "https://api.example.com/data"
                request.setHeader(name: "Bad Name", value: "")
            }
        } catch {
            switch error {
            case .timeout:
                told = "Request timed out"
            case .invalidRequest(let message):
                told = "Invalid request: \(message)"
            case .networkError(let underlying):
                told = "Network error: \(underlying)"
            case .invalidResponse(let message):
                told = "Invalid response: \(message)"
            default:
                told = "\(error)"
            }
        }
        #expect(told.hasPrefix("Invalid request: GET https://api.example.com/data: the header name \"Bad Name\""))
    }
}
