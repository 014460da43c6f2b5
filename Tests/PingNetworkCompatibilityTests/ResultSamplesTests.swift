import ClientTestSupport
import Foundation
import PingNetworkCompatibility
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of seed 004, unchanged except for the import. Those that are in both seeds are here.
///
/// Its other members stand for the reader's app: the factory is called `HttpClient`, so that the samples create clients for the gateway.
private struct Samples: Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let HttpClient: HttpClientFactory
    let client: HttpClient
    let token = "abc"
    let printed = Journal()
    let storedCookies = Journal()

    init(_ gateway: SampleGateway, timeout: TimeInterval = 15) {
        HttpClient = gateway.factory
        client = gateway.factory.createClient { config in config.timeout = timeout }
    }

    func print(_ text: String) { printed.add(text) }

    func storeCookies(_ cookies: [HTTPCookie]) {
        for cookie in cookies { storedCookies.add("\(cookie.name)=\(cookie.value)") }
    }

    func basicRequest() async {
        let client = HttpClient.createClient()

        let result = await client.request { request in
            request.url = "https://api.example.com/users"
            request.get()
        }

        switch result {
        case .success(let response):
            print("Status: \(response.status)")
            print("Body: \(response.bodyAsString())")
        case .failure(let error):
            print("Error: \(error)")
        }
    }

    // swift-format-ignore
    func postWithJsonBody() async -> Result<HttpResponse, Error> {
        let result = await client.request { request in
            request.url = "https://api.example.com/users"
            request.setHeader(name: "Content-Type", value: "application/json")
            request.post(json: [
                "name": "John Doe",
                "email": "john@example.com"
            ])
        }
        return result
    }

    // swift-format-ignore
    func formEncodedPost() async -> Result<HttpResponse, Error> {
        let result = await client.request { request in
            request.url = "https://api.example.com/login"
            request.form(parameters: [
                "username": "user@example.com",
                "password": "secret123"
            ])
        }
        return result
    }

    func queryParameters() async -> Result<HttpResponse, Error> {
        let result = await client.request { request in
            request.url = "https://api.example.com/search"
            request.setParameter(name: "q", value: "swift")
            request.setParameter(name: "page", value: "1")
            request.get()
        }
        // Executes: GET https://api.example.com/search?q=swift&page=1
        return result
    }

    func headers() async -> Result<HttpResponse, Error> {
        let result = await client.request { request in
            request.url = "https://api.example.com/protected"
            request.setHeader(name: "Authorization", value: "Bearer \(token)")
            request.setHeader(name: "Accept", value: "application/json")
            request.get()
        }
        return result
    }

    func configuredClient() -> HttpClient {
        let client = HttpClient.createClient { config in
            config.timeout = 30.0  // Set timeout to 30 seconds
            config.logger = LogManager.standard  // Enable logging
        }
        return client
    }

    func clientWithRequestInterceptors() -> HttpClient {
        let client = HttpClient.createClient { config in
            // Add authentication token to all requests
            config.onRequest { request in
                request.setHeader(name: "Authorization", value: "Bearer \(token)")
            }

            // Add custom user agent
            config.onRequest { request in
                request.setHeader(name: "User-Agent", value: "MyApp/1.0")
            }
        }
        return client
    }

    func clientWithResponseInterceptors() -> HttpClient {
        let client = HttpClient.createClient { config in
            // Log all responses
            config.onResponse { response in
                print("Response: \(response.status) - \(response.request.url?.absoluteString ?? "")")
            }

            // Extract and store cookies
            config.onResponse { response in
                let cookies = response.getCookies()
                storeCookies(cookies)
            }
        }
        return client
    }

    func workingWithResponses() async -> Result<HttpResponse, Error> {
        let result = await client.request { request in
            request.url = "https://api.example.com/data"
            request.get()
        }

        switch result {
        case .success(let response):
            // Check status
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

        case .failure(let error):
            print("Request failed: \(error)")
        }
        return result
    }

    /// Its branches have no effect, so that the test calls the methods again.
    func checkStatus(_ response: HttpResponse) {
        if response.status.isSuccess() {
            // 2xx status code
        } else if response.status.isRedirect() {
            // 3xx status code
        } else if response.status.isClientError() {
            // 4xx status code
        } else if response.status.isServerError() {
            // 5xx status code
        }
    }

    func closeClient() {
        client.close()
    }

    func reuseRequest() async -> (request: HttpRequest, result: Result<HttpResponse, Error>) {
        let request = client.request()
        request.url = "https://api.example.com/users"
        request.setHeader(name: "Accept", value: "application/json")
        request.get()

        let result = await client.request(request: request)
        return (request, result)
    }

    func handleErrors() async {
        let result = await client.request { request in
            request.url = "https://api.example.com/data"
            request.get()
        }

        switch result {
        case .success(let response):
            if !response.status.isSuccess() {
                // HTTP error (4xx, 5xx)
                print("HTTP Error: \(response.status)")
            }

        case .failure(let error):
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

    /// The migration samples for the URL and the JSON body.
    func migratedRequest() async -> Result<HttpResponse, Error> {
        let request = client.request()
        request.url = "https://api.example.com"
        request.post(json: ["key": "value"])
        return await client.request(request: request)
    }

    /// The migration sample for headers with several values.
    func firstContentType(of response: HttpResponse) -> String? {
        let headers: [String: [String]] = response.headers
        let firstValue = headers["Content-Type"]?.first
        return firstValue
    }
}

extension EchoedRequest {
    fileprivate init(_ result: Result<HttpResponse, Error>) throws {
        try self.init(result.get().body)
    }
}

@Suite(.concurrencyLimited) struct ResultSamplesTests {
    @Test func `The basic sample prints the status and the body`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            await samples.basicRequest()
            let printed = samples.printed.entries
            try #require(printed.count == 2)
            #expect(printed[0] == "Status: 200")
            let echo = try EchoedRequest(Data(printed[1].dropFirst("Body: ".count).utf8))
            #expect(echo.method == "GET")
            #expect(echo.target == "/echo/users")
            #expect(echo.headers["x-requested-with"] == ["ping-sdk"])
            #expect(echo.headers["x-requested-platform"] == ["ios"])
        }
    }

    @Test func `The samples for JSON and forms send their bodies`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            let json = try EchoedRequest(await samples.postWithJsonBody())
            #expect(json.method == "POST")
            #expect(json.headers["content-type"] == ["application/json"])
            #expect(json.body == #"{"email":"john@example.com","name":"John Doe"}"#)
            let form = try EchoedRequest(await samples.formEncodedPost())
            #expect(form.method == "POST")
            #expect(form.headers["content-type"] == ["application/x-www-form-urlencoded"])
            #expect(form.body == "password=secret123&username=user%40example.com")
        }
    }

    @Test func `The samples for parameters and headers send them`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            #expect(try EchoedRequest(await samples.queryParameters()).target == "/echo/search?q=swift&page=1")
            let headers = try EchoedRequest(await samples.headers()).headers
            #expect(headers["authorization"] == ["Bearer abc"])
            #expect(headers["accept"] == ["application/json"])
        }
    }

    @Test func `The sample for the configuration sets the timeout`() async throws {
        try await SampleGateway.run { gateway in
            let client = Samples(gateway).configuredClient()
            _ = try await client.request { $0.url = "https://api.example.com/" }.get()
            #expect(gateway.timeouts.entries == ["30.0"])
        }
    }

    @Test func `The sample for request interceptors adds headers to all requests`() async throws {
        try await SampleGateway.run { gateway in
            let client = Samples(gateway).clientWithRequestInterceptors()
            for _ in 1...2 {
                let echo = try EchoedRequest(await client.request { $0.url = "https://api.example.com/" })
                #expect(echo.headers["authorization"] == ["Bearer abc"])
                #expect(echo.headers["user-agent"] == ["MyApp/1.0"])
            }
        }
    }

    @Test func `The sample for response interceptors prints the response and stores its cookies`() async throws {
        try await SampleGateway.run(at: "/cookies/set?session=s1&http-only") { gateway in
            let samples = Samples(gateway)
            let client = samples.clientWithResponseInterceptors()
            let response = try await client.request { $0.url = "https://api.example.com/" }.get()
            let url: String = try #require(response.request.url)
            #expect(url.hasSuffix("/cookies/set?session=s1&http-only"))
            #expect(samples.printed.entries == ["Response: 200 - \(url)"])
            #expect(samples.storedCookies.entries == ["session=s1"])
        }
    }

    @Test func `The sample for responses reads body, headers and cookies`() async throws {
        try await SampleGateway.run(at: "/cookies/set?session=s1") { gateway in
            let samples = Samples(gateway)
            let response = try await samples.workingWithResponses().get()
            let type = try #require(response.headers["Content-Type"]?.first)
            #expect(type.hasPrefix("application/json"))
            #expect(samples.printed.entries == ["Content-Type: \(type)"])
            #expect(samples.firstContentType(of: response) == type)
            #expect(response.body == Data(response.bodyAsString().utf8))
            #expect(response.bodyAsString().contains("session=s1"))
            #expect(response.getCookies().map(\.name) == ["session"])
            #expect(response.getCookieStrings() == ["session=s1; Path=/"])
        }
    }

    @Test(arguments: [204, 299, 302, 399, 404, 499, 503, 599])
    func `The methods of the sample for the status find its category`(status: Int) async throws {
        try await SampleGateway.run(at: "/status/\(status)") { gateway in
            let samples = Samples(gateway)
            let response = try await samples.client.request { $0.url = "https://api.example.com/" }.get()
            #expect(response.status == status)
            samples.checkStatus(response)
            #expect(response.status.isSuccess() == (status / 100 == 2))
            #expect(response.status.isRedirect() == (status / 100 == 3))
            #expect(response.status.isClientError() == (status / 100 == 4))
            #expect(response.status.isServerError() == (status / 100 == 5))
        }
    }

    @Test func `The sample for closing makes later calls fail`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            samples.closeClient()
            await expectError(\NetworkError.kind, "networkError") {
                try await samples.client.request { $0.url = "https://api.example.com/" }.get()
            }
        }
    }

    @Test func `The sample for reusing a request sends it again, with the changes made since`() async throws {
        try await SampleGateway.run { gateway in
            let samples = Samples(gateway)
            let (request, result) = await samples.reuseRequest()
            #expect(try EchoedRequest(result).headers["accept"] == ["application/json"])
            request.url = "https://api.example.com/users/7"
            let second = try EchoedRequest(await samples.client.request(request: request))
            #expect(second.target == "/echo/users/7")
            #expect(second.headers["accept"] == ["application/json"])
        }
    }

    @Test func `The migration samples send a JSON body to a URL that is a string`() async throws {
        try await SampleGateway.run { gateway in
            let echo = try EchoedRequest(await Samples(gateway).migratedRequest())
            #expect(echo.target == "/echo")
            #expect(echo.body == #"{"key":"value"}"#)
        }
    }
}

/// Each branch of the sample for errors.
@Suite(.concurrencyLimited) struct ErrorSampleTests {
    private static func printed(at url: String, timeout: TimeInterval = 15) async -> [String] {
        let samples = Samples(SampleGateway { _ in url }, timeout: timeout)
        await samples.handleErrors()
        return samples.printed.entries
    }

    @Test func `An error response is printed with its status`() async throws {
        try await SampleGateway.run(at: "/status/503") { gateway in
            let samples = Samples(gateway)
            await samples.handleErrors()
            #expect(samples.printed.entries == ["HTTP Error: 503"])
        }
    }

    @Test func `An invalid request is printed with its reason`() async {
        let printed = await Self.printed(at: "ftp://api.example.com/data")
        #expect(printed.first?.hasPrefix("Invalid request: GET ") == true, "\(printed)")
        #expect(printed.first?.contains("has the scheme ftp") == true, "\(printed)")
    }

    @Test func `A refused connection is printed with its error`() async throws {
        try await withSilentPort { port in
            let printed = await Self.printed(at: "http://127.0.0.1:\(port)/data")
            #expect(printed.first?.hasPrefix("Network error: ") == true, "\(printed)")
            #expect(printed.first?.contains("127.0.0.1:\(port)") == true, "\(printed)")
        }
    }

    @Test func `A response that is not HTTP is printed as invalid`() async throws {
        try await withScriptedServer([[.receiveRequest, .send("SSH-2.0-OpenSSH_9.2\r\n\r\n")]]) { server in
            let printed = await Self.printed(at: "http://\(server.authority)/data")
            #expect(printed.first?.hasPrefix("Invalid response: GET ") == true, "\(printed)")
        }
    }

    @Test func `A call that exceeds its timeout is printed as timed out`() async throws {
        try await withScriptedServer([[.receiveRequest, .stall]]) { server in
            let printed = await Self.printed(at: "http://\(server.authority)/data", timeout: 0.2)
            #expect(printed == ["Request timed out"])
        }
    }
}
