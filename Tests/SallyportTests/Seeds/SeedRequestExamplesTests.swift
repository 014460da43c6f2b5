import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// The examples of the seeds 000 and 004, as near to their text as a value-type request allows.
@Suite(.concurrencyLimited) struct SeedRequestExamplesTests {
    private let server = MockTransport { _ in MockResponse.json(#"{"id": 1}"#).header(.setCookie, "id=1") }
    private let token = "abc"

    private var client: HttpClient {
        HttpClient.createClient { config in config.transport = server }
    }

    private func sent() throws -> MockRequest { try #require(server.requests.last) }

    @Test func `Example: basic HTTP request`() async throws {
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.get()
        }
        #expect(response.status == .ok)
        #expect(try sent().method == .get)
    }

    @Test func `Example: POST request with a JSON body`() async throws {
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.setHeader(name: "Content-Type", value: "application/json")
            request.post(json: [
                "name": "John Doe",
                "email": "john@example.com",
            ])
        }
        #expect(response.status.isSuccess())
        #expect(try sent().text == #"{"email":"john@example.com","name":"John Doe"}"#)
    }

    @Test func `Example: form-encoded POST request`() async throws {
        _ = try await client.request { request in
            request.url = "https://api.example.com/login"
            request.form(parameters: [
                "username": "user@example.com",
                "password": "secret123",
            ])
        }
        #expect(try sent().text == "password=secret123&username=user%40example.com")
    }

    @Test func `Example: adding query parameters`() async throws {
        _ = try await client.request { request in
            request.url = "https://api.example.com/search"
            request.setParameter(name: "q", value: "swift")
            request.setParameter(name: "page", value: "1")
            request.get()
        }
        #expect(try sent().url == "https://api.example.com/search?q=swift&page=1")
    }

    @Test func `Example: adding headers`() async throws {
        _ = try await client.request { request in
            request.url = "https://api.example.com/protected"
            request.setHeader(name: "Authorization", value: "Bearer \(token)")
            request.setHeader(name: "Accept", value: "application/json")
            request.get()
        }
        #expect(try sent().header("authorization") == "Bearer abc")
    }
}
