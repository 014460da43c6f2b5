import ClientTestSupport
import Foundation
import Sallyport
import SallyportService
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct EndpointTests {
    @Test func `A GET endpoint sends its query and returns a typed response`() async throws {
        let (service, server) = try service(.json(#"[{"id": 1, "name": "Ada"}]"#))
        let users = try await service.call(SearchUsers(name: "Ada L", page: 2))
        #expect(users == [User(id: 1, name: "Ada")])
        let sent = try #require(server.requests.last)
        #expect(sent.method == .get)
        #expect(sent.url == "https://api.example.com/v1/users?name=Ada%20L&page=2")
        #expect(sent.header("Accept") == "application/json")
        #expect(sent.body.isEmpty)
    }

    @Test func `A nil parameter is omitted`() throws {
        let request = try service().service.request(for: SearchUsers())
        #expect(try request.head().path == "/v1/users?page=1")
    }

    @Test func `A POST endpoint sends a JSON body and returns a typed response`() async throws {
        let (service, server) = try service(.json(#"{"id": 7, "name": "Ada"}"#, status: 201))
        let user = try await service.call(CreateUser(user: User(id: 0, name: "Ada")))
        #expect(user.id == 7)
        let sent = try #require(server.requests.last)
        #expect(sent.method == .post)
        #expect(sent.header("Content-Type") == "application/json")
        #expect(sent.text == #"{"id":0,"name":"Ada"}"#)
    }

    @Test func `A DELETE endpoint needs no response type and sends no Accept field`() async throws {
        let (service, server) = try service(.status(204))
        try await service.call(DeleteUser(id: 7))
        let sent = try #require(server.requests.last)
        #expect(sent.method == .delete)
        #expect(sent.url == "https://api.example.com/v1/users/7")
        #expect(sent.header("Accept") == nil)
    }

    @Test func `An Encodable endpoint can be its own JSON body`() async throws {
        struct Rename: Endpoint, Encodable {
            var name: String
            var path: EndpointPath { "/users/7" }
            var method: HttpMethod { .patch }
            var body: EndpointBody { .json(self) }
        }
        let (service, server) = try service()
        try await service.call(Rename(name: "Ada"))
        #expect(server.requests.last?.method == .patch)
        #expect(server.requests.last?.text == #"{"name":"Ada"}"#)
    }

    @Test func `The members of an Encodable endpoint fill the path and the query`() throws {
        struct Posts: Endpoint, Encodable {
            var id: String
            var page = 2
            var path: EndpointPath { "/users/{id}/posts" }
            var parameters: EndpointParameters { .encoding(self) }
        }
        let request = try service().service.request(for: Posts(id: "a/b"))
        #expect(try request.head().path == "/v1/users/a%2Fb/posts?page=2")
    }

    @Test func `Bodies can be forms, multipart forms and raw bytes`() async throws {
        struct Send: Endpoint {
            var body: EndpointBody
            var path: EndpointPath { "/send" }
        }
        let (service, server) = try service()
        try await service.call(Send(body: .form(User(id: 1, name: "A B"))))
        #expect(server.requests.last?.text == "id=1&name=A+B")
        #expect(server.requests.last?.header("Content-Type") == "application/x-www-form-urlencoded")

        var form = MultipartForm()
        form.append(name: "title", value: "x")
        try await service.call(Send(body: .multipart(form)))
        #expect(server.requests.last?.header("Content-Type") == form.contentType)

        try await service.call(Send(body: .raw(.data(Data("abc".utf8)), contentType: "image/png")))
        #expect(server.requests.last?.text == "abc")
        #expect(server.requests.last?.header("Content-Type") == "image/png")
        #expect(server.requests.allSatisfy { $0.method == .post })
    }

    @Test func `An endpoint's prepare method can override the service's settings`() async throws {
        struct Slow: Endpoint {
            var path: EndpointPath { "/slow" }
            func prepare(_ request: inout HttpRequest) {
                request.timeout = 60
                request.setHeader(name: "Accept-Language", value: "fr")
            }
        }
        let (service, server) = try service(.status(200)) { $0.headers = ["Accept-Language": "de", "X-App": "1"] }
        try await service.call(Slow())
        #expect(server.requests.last?.timeouts.total?.roundedUp == 60)
        #expect(server.requests.last?.header("Accept-Language") == "fr")
        #expect(server.requests.last?.header("X-App") == "1")
    }

    @Test func `An endpoint with an unencodable body or query is refused before anything is sent`() async throws {
        struct Bad: Endpoint {
            var body: EndpointBody
            var parameters: EndpointParameters
            var path: EndpointPath { "/bad" }
        }
        let (service, server) = try service()
        let bad = Bad(body: .json(["size": Double.infinity]), parameters: .none)
        let body = await failure(of: bad, by: service)
        #expect("\(body!)".hasPrefix("Bad: the JSON body cannot be encoded at size"))
        let query = await failure(of: Bad(body: .none, parameters: ["size": Double.nan]), by: service)
        #expect("\(query!)" == "Bad: the parameters cannot be encoded at size: it is not a finite number")
        for error in [body, query] {
            guard case .invalidEndpoint = error else { Issue.record("\(String(describing: error))"); continue }
        }
        #expect(server.requests.isEmpty)
    }
}
