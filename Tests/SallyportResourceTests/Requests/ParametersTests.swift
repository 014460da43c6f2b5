import ClientTestSupport
import Foundation
import Sallyport
import SallyportResource
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ParametersTests {
    /// A request, and what the server receives.
    private struct Case {
        let request: ResourceRequest
        let query: String?
        let contentType: String?
        let body: String

        /// A request without a body.
        init(
            _ method: HTTPMethod,
            _ parameters: [String: JsonValue]?,
            query: String?,
            path: String = "p",
            encoding: ParametersEncoding = .JSON
        ) {
            request = ResourceRequest(path: path, method: method, parameters: parameters, encoding: encoding)
            self.query = query
            contentType = nil
            body = ""
        }

        /// A request with its parameters in the body.
        init(
            _ method: HTTPMethod,
            _ parameters: [String: JsonValue],
            _ encoding: ParametersEncoding,
            body: String,
            path: String = "p",
            query: String? = nil
        ) {
            request = ResourceRequest(path: path, method: method, parameters: parameters, encoding: encoding)
            self.query = query
            contentType = encoding == .JSON ? "application/json" : "application/x-www-form-urlencoded"
            self.body = body
        }
    }

    /// `ORIGIN` stands for that of the gateway.
    private static let cases = [
        Case(.get, nil, query: nil),
        Case(.get, [:], query: nil),
        Case(.get, ["a": "1"], query: "a=1"),
        Case(.get, ["a": "1"], query: "a=1", encoding: .formURL),
        Case(.get, ["a": "1"], query: "x=1&a=1", path: "p?x=1"),
        Case(.get, ["a": "1"], query: "a=1", path: "p?"),
        Case(.get, ["a": "1"], query: "a=1", path: "p#part"),
        Case(.get, ["a": "1"], query: "x=1&a=1", path: "ORIGIN/echo/p?x=1#part"),
        Case(.get, ["b": 2, "a": 1], query: "a=1&b=2"),
        Case(.get, ["a": "b c"], query: "a=b%20c"),
        Case(.get, ["naïve": "日"], query: "na%C3%AFve=%E6%97%A5"),
        Case(.get, ["a": "😀", "b": "e\u{301}"], query: "a=%F0%9F%98%80&b=e%CC%81"),
        Case(.get, ["a": "&=+?#/%"], query: "a=%26%3D%2B%3F%23%2F%25"),
        Case(.get, ["a": ""], query: "a="),
        Case(.get, ["a": nil], query: "a="),
        Case(.get, ["a": true, "b": false], query: "a=true&b=false"),
        Case(.get, ["a": 1.5, "b": -2], query: "a=1.5&b=-2"),
        Case(.get, ["a": 9_007_199_254_740_993], query: "a=9007199254740993"),
        Case(.get, ["t": ["x", "y"]], query: "t=x&t=y"),
        Case(.get, ["t": []], query: nil),
        Case(.get, ["t": ["x", nil, ""]], query: "t=x&t=&t="),
        Case(.get, ["user": ["name": "Ada", "age": 36]], query: "user%5Bage%5D=36&user%5Bname%5D=Ada"),
        Case(.get, ["a": ["b": ["c": "d"]]], query: "a%5Bb%5D%5Bc%5D=d"),
        Case(.get, ["a": ["t": ["x", "y"]]], query: "a%5Bt%5D=x&a%5Bt%5D=y"),
        Case(.get, ["a": [:]], query: nil),
        Case(.delete, ["id": 7], query: "id=7"),
        Case(.delete, ["id": 7], query: "id=7", encoding: .formURL),
        Case(.post, nil, query: nil),
        Case(.put, nil, query: nil),
        Case(.patch, nil, query: nil),
        Case(.post, [:], .JSON, body: "{}"),
        Case(.post, ["b": 1, "a": "x"], .JSON, body: #"{"a":"x","b":1}"#),
        Case(.post, ["a": [true, nil, "é", 1.5]], .JSON, body: #"{"a":[true,null,"é",1.5]}"#),
        Case(.post, ["a": ["b": [["c": "/"]]]], .JSON, body: #"{"a":{"b":[{"c":"/"}]}}"#),
        Case(.post, ["a": "line\nbreak \"quoted\""], .JSON, body: #"{"a":"line\nbreak \"quoted\""}"#),
        Case(.post, ["a": [], "b": [:]], .JSON, body: #"{"a":[],"b":{}}"#),
        Case(.post, ["a": 1], .JSON, body: #"{"a":1}"#, path: "/p?x=1", query: "x=1"),
        Case(.put, ["a": ""], .JSON, body: #"{"a":""}"#),
        Case(.patch, ["a": nil], .JSON, body: #"{"a":null}"#),
        Case(.post, ["b": "x y", "a": 1], .formURL, body: "a=1&b=x+y"),
        Case(.post, ["é": "日&="], .formURL, body: "%C3%A9=%E6%97%A5%26%3D"),
        Case(.post, ["t": ["x", "y"]], .formURL, body: "t=x&t=y"),
        Case(.put, ["user": ["name": "Ada"]], .formURL, body: "user%5Bname%5D=Ada"),
        Case(.put, ["a": ["t": ["x", "y"]]], .formURL, body: "a%5Bt%5D=x&a%5Bt%5D=y"),
        Case(.put, ["a": 1], .formURL, body: "a=1", path: "ORIGIN/echo/p?x=1", query: "x=1"),
        Case(.patch, ["a": nil, "b": ""], .formURL, body: "a=&b="),
    ]

    @Test func `Parameters are sent in the query or in the body, in their encoding`() async throws {
        try await EchoGateway.withRunning { gateway in
            let client = try gateway.client("/echo").deviceClient
            for item in Self.cases {
                let request = item.request.mutableCopy()
                request.path = request.path.replacing("ORIGIN", with: gateway.address.baseURL)
                let response = try await client.sendUnauthenticatedRequest(request.copy())
                let echo = try JSONDecoder().decode(EchoedRequest.self, from: #require(response.data))
                #expect(echo.method == item.request.method.rawValue)
                #expect(echo.target == "/echo/p" + (item.query.map { "?\($0)" } ?? ""), "\(item)")
                #expect(echo.headers["content-type"]?.first == item.contentType, "\(item)")
                #expect(echo.body == item.body, "\(item)")
            }
        }
    }

    @Test func `A HEAD request has its parameters in the query`() async throws {
        let server = try ResourceServer()
        let request = ResourceRequest(path: "p", method: .head, parameters: ["a": 1])
        let response = try await server.client().deviceClient.sendUnauthenticatedRequest(request)
        #expect(response.statusCode == 200 && response.data == nil)
        #expect(server.resourceRequests.map(\.url) == ["https://api.example.com/resources/p?a=1"])
    }

    @Test func `A raw body replaces parameters and encoding, and is sent as it is`() async throws {
        let server = try ResourceServer()
        let body = Data([0, 255, 13, 10, 128])
        for method in [HTTPMethod.post, .put, .patch, .delete] {
            let request = ResourceRequestFactory.makeResourceRequest(
                path: "p",
                method: method,
                parameters: ["a": 1],
                body: body,
                headers: ["Content-Type": "application/x-custom"],
                parametersEncoding: .formURL
            )
            let echo = try Echo(await server.client().deviceClient.sendUnauthenticatedRequest(request))
            #expect(echo.url == "https://api.example.com/resources/p")
            #expect(echo.body == body)
            #expect(echo.headers["content-type"] == "application/x-custom")
        }
    }

    @Test func `A raw body without a content type has none`() async throws {
        let server = try ResourceServer()
        let request = ResourceRequest(path: "p", method: .post, body: Data("é".utf8), headers: nil)
        let echo = try Echo(await server.client().deviceClient.sendUnauthenticatedRequest(request))
        #expect(echo.text == "é" && echo.headers["content-type"] == nil)
    }

    @Test func `The content type of JSON parameters can be set`() async throws {
        let server = try ResourceServer()
        let request = ResourceRequest(
            path: "p",
            method: .post,
            parameters: ["a": 1],
            encoding: .JSON,
            headers: ["content-type": "application/vnd.api+json"]
        )
        let echo = try Echo(await server.client().deviceClient.sendUnauthenticatedRequest(request))
        #expect(echo.text == #"{"a":1}"# && echo.headers["content-type"] == "application/vnd.api+json")
    }

    @Test func `Parameters that the encoding cannot represent are an error that states their name`() async throws {
        let server = try ResourceServer()
        let client = try server.client().deviceClient
        let requests = [
            ResourceRequest(path: "p", method: .get, parameters: ["grid": [[1], [2]]]),
            ResourceRequest(path: "p", method: .post, parameters: ["grid": [["a": 1]]], encoding: .formURL),
            ResourceRequest(path: "p", method: .post, parameters: ["grid": .number(.infinity)]),
            ResourceRequest(path: "p", method: .get, parameters: ["grid": .number(.nan)]),
        ]
        for request in requests {
            let error = await expectError(\ResourceError.reason, .invalidRequest) {
                try await client.sendUnauthenticatedRequest(request)
            }
            #expect(error?.description.contains("grid") == true)
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `GET and HEAD with a body are refused`() async throws {
        let server = try ResourceServer()
        for method in [HTTPMethod.get, .head] {
            let request = ResourceRequest(path: "p", method: method, body: Data("x".utf8), headers: nil)
            await expectError(\ResourceError.reason, .invalidRequest) {
                try await server.client().deviceClient.sendUnauthenticatedRequest(request)
            }
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `A method that is not one of the six is refused`() async throws {
        let server = try ResourceServer()
        for method in ["OPTIONS", "get", "", "BAD METHOD"] {
            let request = ResourceRequest(path: "p", method: HTTPMethod(rawValue: method))
            let error = await expectError(\ResourceError.reason, .invalidMethod) {
                try await server.client().deviceClient.sendUnauthenticatedRequest(request)
            }
            #expect(error?.code.rawValue == 10010)
        }
        #expect(server.transport.requests.isEmpty)
    }
}
