import ClientTestSupport
import Foundation
import PingNetworkThrowing
import TestSupport
import Testing

/// The samples of seed 000 that seed 004 does not have, unchanged except for the import and for one `request in`, which is removed from
/// each `{ request in request in`, because that is not valid Swift.
///
/// The other members stand for the reader's app: the factory is called `HttpClient`, so that the samples create clients for the gateway.
private struct Samples: Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let HttpClient: HttpClientFactory
    let client: HttpClient
    let token = "abc"
    let printed = Journal()

    init(_ gateway: SampleGateway) {
        HttpClient = gateway.factory
        client = gateway.factory.createClient()
    }

    func print(_ text: String) { printed.add(text) }

    func basicRequest() async throws -> HttpResponse {
        let client = HttpClient.createClient()
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.get()
        }
        return response
    }

    // swift-format-ignore
    func postWithJsonBody() async throws -> HttpResponse {
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.setHeader(name: "Content-Type", value: "application/json")
            request.post(json: [
                "name": "John Doe",
                "email": "john@example.com"
            ])
        }
        return response
    }

    // swift-format-ignore
    func formEncodedPost() async throws -> HttpResponse {
        let response = try await client.request { request in
            request.url = "https://api.example.com/login"
            request.form(parameters: [
                "username": "user@example.com",
                "password": "secret123"
            ])
        }
        return response
    }

    func queryParameters() async throws -> HttpResponse {
        let response = try await client.request { request in
            request.url = "https://api.example.com/search"
            request.setParameter(name: "q", value: "swift")
            request.setParameter(name: "page", value: "1")
            request.get()
        }
        // Executes: GET https://api.example.com/search?q=swift&page=1
        return response
    }

    func headers() async throws -> HttpResponse {
        let response = try await client.request { request in
            request.url = "https://api.example.com/protected"
            request.setHeader(name: "Authorization", value: "Bearer \(token)")
            request.setHeader(name: "Accept", value: "application/json")
            request.get()
        }
        return response
    }

    func workingWithResponses() async throws -> HttpResponse {
        let response = try await client.request { request in
            request.url = "https://api.example.com/data"
            request.get()
        }
        if response.status.isSuccess() {
            // Get body as string
            let bodyString = response.bodyAsString()
            // Get raw body data
            if let bodyData = response.body {
                let json = try? JSONSerialization.jsonObject(with: bodyData)
            }
            // Get specific header
            if let contentType = response.getHeader(name: "Content-Type") {
                print("Content-Type: \(contentType)")
            }
            // Get all headers
            let allHeaders = response.headers
            // Get cookies
            let cookies = response.getCookies()
            let cookieStrings = response.getCookieStrings()
        }
        return response
    }

    /// The sample is the same in both seeds: this method returns a `Result` in both.
    func reuseRequest() async -> Result<HttpResponse, Error> {
        let request = client.request()
        request.url = "https://api.example.com/users"
        request.setHeader(name: "Accept", value: "application/json")
        request.get()
        let result = await client.request(request: request)
        return result
    }

    func handleErrors() async {
        do {
            let response = try await client.request { request in
                request.url = "https://api.example.com/data"
                request.get()
            }
            if !response.status.isSuccess() {
                // HTTP error (4xx, 5xx)
                print("HTTP Error: \(response.status)")
            }
        } catch {
            if let networkError = error as? NetworkError {
                switch networkError {
                case .timeout:
                    print("Request timed out")
                case .invalidRequest(let message):
                    print("Invalid request: \(message)")
                case .networkError(let underlying):
                    print("Network error: \(underlying)")
                case .invalidResponse(let message):
                    print("Invalid response: \(message)")
                }
            }
        }
    }

    func creatingARequest() async throws -> HttpResponse {
        let client = HttpClient.createClient()
        let response = try await client.request { request in
            // ... configure request
            request.url = "https://api.example.com"
        }
        return response
    }

    func completeExample() async throws -> HttpResponse {
        let client = HttpClient.createClient()
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.setHeader(name: "Authorization", value: "Bearer \(token)")
            request.setHeader(name: "Accept", value: "application/json")
            request.setParameter(name: "page", value: "1")
            request.post(json: ["name": "John", "email": "john@example.com"])
        }
        return response
    }
}

@Suite(.concurrencyLimited) struct ThrowingSamplesTests {
    @Test func `The samples for calls return what the gateway received`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            #expect(try EchoedRequest(await samples.basicRequest().body).target == "/echo/users")
            let json = try EchoedRequest(await samples.postWithJsonBody().body)
            #expect(json.method == "POST")
            #expect(json.body == #"{"email":"john@example.com","name":"John Doe"}"#)
            let form = try EchoedRequest(await samples.formEncodedPost().body)
            #expect(form.body == "password=secret123&username=user%40example.com")
            #expect(try EchoedRequest(await samples.queryParameters().body).target == "/echo/search?q=swift&page=1")
            let headers = try EchoedRequest(await samples.headers().body).headers
            #expect(headers["authorization"] == ["Bearer abc"])
            #expect(headers["accept"] == ["application/json"])
            #expect(
                try EchoedRequest(await samples.reuseRequest().get().body).headers["accept"] == ["application/json"]
            )
        }
    }

    @Test func `The sample for responses reads body, headers and cookies`() async throws {
        try await SampleGateway.run(at: "/cookies/set?session=s1") { gateway in
            let samples = Samples(gateway)
            let response = try await samples.workingWithResponses()
            #expect(samples.printed.entries.first?.hasPrefix("Content-Type: application/json") == true)
            #expect(response.getCookieStrings() == ["session=s1; Path=/"])
        }
    }

    @Test func `The sample for errors prints the status of a response, and an error that is thrown`() async throws {
        try await SampleGateway.run(at: "/status/404") { gateway in
            let samples = Samples(gateway)
            await samples.handleErrors()
            #expect(samples.printed.entries == ["HTTP Error: 404"])
        }
        let samples = Samples(SampleGateway { _ in "ftp://api.example.com/data" })
        await samples.handleErrors()
        #expect(samples.printed.entries.first?.hasPrefix("Invalid request: GET ") == true)
    }

    @Test func `The samples for the migration of calls return what the gateway received`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            #expect(try EchoedRequest(await samples.creatingARequest().body).method == "GET")
            let echo = try EchoedRequest(await samples.completeExample().body)
            #expect(echo.method == "POST")
            #expect(echo.target == "/echo/users?page=1")
            #expect(echo.headers["authorization"] == ["Bearer abc"])
            #expect(echo.body == #"{"email":"john@example.com","name":"John"}"#)
        }
    }
}

/// The samples for the migration of single methods. Each test sends the request after the lines of a sample.
@Suite(.concurrencyLimited) struct MigrationSamplesTests {
    private static func withRequest(
        _ body: (_ request: HttpRequest, _ send: () async throws -> EchoedRequest) async throws -> Void
    ) async throws {
        try await SampleGateway.run { gateway in
            let client = gateway.factory.createClient()
            let request = client.request()
            request.url = "https://api.example.com"
            try await body(request) { try EchoedRequest(await client.request(request: request).get().body) }
        }
    }

    @Test func `The samples for the URL, a header and a parameter send them`() async throws {
        try await Self.withRequest { request, send in
            request.url = "https://api.example.com"
            request.setHeader(name: "Authorization", value: "Bearer token")
            request.setParameter(name: "page", value: "1")

            let echo = try await send()
            #expect(echo.target == "/echo?page=1")
            #expect(echo.headers["authorization"] == ["Bearer token"])
        }
    }

    @Test func `The samples for cookies send all of them`() async throws {
        try await Self.withRequest { request, send in
            request.setCookie(cookie: "name=value")  // Single cookie string
            request.setCookies(cookies: ["name1=value1", "name2=value2"])  // Multiple cookie strings

            let echo = try await send()
            #expect(echo.headers["cookie"] == ["name=value; name1=value1; name2=value2"])
        }
    }

    @Test func `The samples for JSON send it with each method`() async throws {
        try await Self.withRequest { request, send in
            request.post(json: ["key": "value"])  // POST with JSON
            #expect(try await send().method == "POST")
            request.put(json: ["key": "value"])  // PUT with JSON
            #expect(try await send().method == "PUT")
            request.delete(json: ["key": "value"])  // DELETE with JSON
            let echo = try await send()
            #expect(echo.method == "DELETE")
            #expect(echo.headers["content-type"] == ["application/json"])
            #expect(echo.body == #"{"key":"value"}"#)
        }
    }

    @Test func `The samples for text send it with its type and each method`() async throws {
        try await Self.withRequest { request, send in
            request.post(contentType: "text/plain", body: "raw string body")
            let post = try await send()
            #expect([post.method, post.body] == ["POST", "raw string body"])
            #expect(post.headers["content-type"] == ["text/plain"])
            request.put(contentType: "application/xml", body: "<xml>data</xml>")
            let put = try await send()
            #expect([put.method, put.body] == ["PUT", "<xml>data</xml>"])
            #expect(put.headers["content-type"] == ["application/xml"])
            request.delete(contentType: "application/json", body: "{\"id\": 123}")
            let delete = try await send()
            #expect([delete.method, delete.body] == ["DELETE", "{\"id\": 123}"])
        }
    }

    @Test func `The sample for a form sends it`() async throws {
        try await Self.withRequest { request, send in
            request.form(parameters: ["username": "john", "password": "secret"])

            let echo = try await send()
            #expect(echo.body == "password=secret&username=john")
        }
    }

    @Test func `The samples for methods, headers and raw bodies read and change the request`() async throws {
        let myData = Data("raw".utf8)
        try await Self.withRequest { request, send in
            request.setMethod(.post)
            let method = request.getMethod()  // Returns HttpMethod enum
            request.setBody(myData)  // Sets raw Data? body
            #expect(method == .post)
            #expect(try await send().body == "raw")

            request.setHeader(name: "Authorization", value: "Bearer token")
            let authHeader = request.getHeader(name: "Authorization")  // Single header
            let allHeaders = request.getHeaders()  // All headers as [String: String]
            #expect(authHeader == "Bearer token")
            #expect(allHeaders["Authorization"] == "Bearer token")

            request.get()  // Clears body and sets GET method
            let echo = try await send()
            #expect([echo.method, echo.body] == ["GET", ""])
        }
    }

    @Test func `The sample for response headers reads all values and the first`() async throws {
        try await SampleGateway.run { gateway in
            let response = try await Samples(gateway).basicRequest()
            let headers: [String: [String]] = response.headers  // Multi-value support
            let firstValue = headers["Content-Type"]?.first
            // or use convenience method:
            let contentType = response.getHeader(name: "Content-Type")
            #expect(firstValue?.hasPrefix("application/json") == true)
            #expect(contentType == firstValue)
        }
    }

    @Test func `The constants of the samples have the values in their comments`() {
        #expect(NetworkConstants.headerContentType == "Content-Type")
        #expect(NetworkConstants.contentTypeJSON == "application/json")
        #expect(HttpMethod.post == .post)
    }
}
