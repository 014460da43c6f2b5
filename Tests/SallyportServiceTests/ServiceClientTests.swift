import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ServiceClientTests {
    private static let ada = MockResponse.json(#"{"id": 1, "name": "Ada"}"#)

    @Test func `The default timeout of a call is ten seconds, and the configuration can replace it`() async throws {
        let (usual, server) = try service(Self.ada)
        try await usual.call(Get(User.self))
        #expect(server.requests.last?.timeouts.total?.roundedUp == 10)
        let (slow, other) = try service(Self.ada) { $0.timeout = 25 }
        try await slow.call(Get(User.self))
        #expect(other.requests.last?.timeouts.total?.roundedUp == 25)
    }

    @Test func `A new configuration has no headers, and reads the body as the response`() throws {
        let configuration = try ServiceClientConfiguration(baseURL: "https://api.example.com/v1")
        #expect(configuration.headers.isEmpty)
        #expect(configuration.responseFormat == .plain)
    }

    @Test func `Redirects of calls, downloads and uploads are followed if the client says so`() async throws {
        struct Store: Endpoint {
            var path: EndpointPath { "/redirect-to" }
            var parameters: EndpointParameters { ["url": "/upload", "status": 307] }
            var body: EndpointBody { .raw(.data(Data("x".utf8)), contentType: "text/plain") }
        }
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                let strict = try ServiceClient(baseURL: gateway.baseURL)
                let refusal = await failure(of: PathOnly(path: "/redirect/1"), by: strict)
                #expect(refusal?.info.status == .found)

                let client = HttpClient.createClient { $0.redirects = .follow(limit: 2) }
                let service = try ServiceClient(baseURL: gateway.baseURL, client: client)
                try await service.call(PathOnly(path: "/redirect/2"))
                let tooMany = await failure(of: PathOnly(path: "/redirect/3"), by: service)
                #expect(tooMany?.info.networkError?.kind == "tooManyRedirects")
                let endpoint = PathOnly(path: "/redirect-to", parameters: ["url": "/bytes/10"])
                let file = folder.appendingPathComponent("file")
                #expect(try await service.download(endpoint, to: .file(file)).length == 10)
                try await service.upload(Store())
            }
        }
    }

    @Test func `The headers of the configuration are sent, and an endpoint can replace them`() async throws {
        struct Own: Endpoint {
            var path: EndpointPath { "/thing" }
            func prepare(_ request: inout HttpRequest) { request.setHeader(name: "x-app", value: "2") }
        }
        let (service, server) = try service(Self.ada) { $0.headers = ["X-App": "1", "Accept": "application/hal+json"] }
        try await service.call(Get(User.self))
        #expect(server.requests.last?.header("X-App") == "1")
        #expect(server.requests.last?.header("Accept") == "application/hal+json")
        try await service.call(Own())
        #expect(server.requests.last?.header("X-App") == "2")
    }

    @Test(arguments: [
        ("Bad Name", "secret", "the header name \"Bad Name\" is not a token"),
        ("X-Token", "a\nb", "contains a control character"),
    ])
    func `An invalid header fails the call before anything is sent`(name: String, value: String, problem: String)
        async throws
    {
        let (service, server) = try service(Self.ada) { $0.headers = [name: value] }
        let error = try #require(await failure(of: Get(User.self), by: service))
        #expect(error.kind == "invalidEndpoint")
        #expect(error.description.contains(problem))
        #expect(server.requests.isEmpty)
    }

    @Test func `The configured encoders and decoder are used`() async throws {
        struct Event: Codable, Sendable, Equatable { var startsAt: Date }
        struct Add: Endpoint {
            typealias Response = Event
            var event: Event
            var path: EndpointPath { "/events" }
            var body: EndpointBody { .json(event) }
            var parameters: EndpointParameters { ["at": event.startsAt, "ok": true] }
        }
        let (service, server) = try service(.json(#"{"starts_at": "1970-01-01T00:01:00Z"}"#)) { configuration in
            configuration.encoder.keyEncodingStrategy = .convertToSnakeCase
            configuration.encoder.dateEncodingStrategy = .secondsSince1970
            configuration.decoder.keyDecodingStrategy = .convertFromSnakeCase
            configuration.decoder.dateDecodingStrategy = .iso8601
            configuration.queryEncoder.options.dates = .seconds
            configuration.queryEncoder.options.booleans = .digits
        }
        let event = Event(startsAt: Date(timeIntervalSince1970: 60))
        #expect(try await service.call(Add(event: event)) == event)
        #expect(server.requests.last?.text == #"{"starts_at":60}"#)
        #expect(server.requests.last?.query == "at=60&ok=1")
    }

    @Test func `Responses can be returned as data and as text without decoding`() async throws {
        let (service, _) = try service(.text("Grüße"))
        #expect(try await service.call(Get(Data.self)) == Data("Grüße".utf8))
        #expect(try await service.call(Get(String.self)) == "Grüße")
    }

    @Test func `The request of an endpoint can be sent by the client, and its response be read`() async throws {
        let (service, server) = try service(Self.ada.header(try #require(HTTPField.Name("X-Total")), "7"))
        let endpoint = Get(User.self)
        let response = try await service.client.request(request: try service.request(for: endpoint))
        #expect(try service.read(response, as: endpoint).name == "Ada")
        #expect(response.getHeader(name: "x-total") == "7")
        #expect(server.requests.map(\.head.path) == ["/v1/thing"])
    }

    @Test func `Calls of a service run the interceptors of its client`() async throws {
        let server = MockTransport { _ in Self.ada }
        let client = makeClient(server) { config in
            config.onRequest { $0.setHeader(name: "Authorization", value: "Bearer abc") }
        }.client
        let service = try ServiceClient(baseURL: "https://api.example.com", client: client)
        try await service.call(Get(User.self))
        #expect(server.requests.last?.header("Authorization") == "Bearer abc")
    }

    @Test func `Cancelling the caller's task cancels the call`() async throws {
        let asked = Signal()
        let server = MockTransport { _ in
            asked.fire()
            return .stall
        }
        let service = try service(server)
        let task = Task { await failure(of: Get(User.self), by: service) }
        try await asked.wait()
        task.cancel()
        let error = try #require(await task.value)
        guard case .callFailed(let info) = error, case .cancelled = info.networkError else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `A closed client refuses the calls of its services`() async throws {
        let client = makeClient(MockTransport { _ in Self.ada }).client
        let service = try ServiceClient(baseURL: "https://api.example.com/v1", client: client)
        #expect(try await service.call(Get(User.self)).name == "Ada")
        client.close()
        #expect(await failure(of: Get(User.self), by: service)?.info.networkError?.kind == "clientClosed")
    }
}
