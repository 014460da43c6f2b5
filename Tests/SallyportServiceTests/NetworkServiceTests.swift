import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

/// A class that is not Sendable.
private final class PlainLog {
    var lines: [String] = []
}

@MainActor private final class UserList {
    let log = PlainLog()
    private(set) var names: [String] = []

    func load(from service: NetworkService) -> Task<Void, Never> {
        let log = log
        return service.call(Get(User.self)) { result in
            self.names.append((try? result.get().name) ?? "none")
            MainActor.preconditionIsolated()
            log.lines.append("loaded")
        }
    }

    func loadMissing(from service: NetworkService) -> Task<Void, Never> {
        service.call(PathOnly(path: "/../x"), completion: loaded)
    }

    private func loaded(_ result: Result<NoContent, NetworkServiceError>) {
        if case .failure = result { names.append("none") }
        log.lines.append("failed")
    }
}

@Suite(.concurrencyLimited) struct NetworkServiceTests {
    private static let ada = MockResponse.json(#"{"id": 1, "name": "Ada"}"#)

    @Test func `The default timeout of a call is ten seconds, and the configuration can replace it`() async throws {
        let (usual, server) = try service(Self.ada)
        try await usual.call(Get(User.self))
        #expect(server.requests.last?.timeouts.total?.roundedUp == 10)
        let (slow, other) = try service(Self.ada) { $0.timeout = 25 }
        try await slow.call(Get(User.self))
        #expect(other.requests.last?.timeouts.total?.roundedUp == 25)
    }

    @Test func `A new configuration has the default session type and client bundle, and no headers`() throws {
        let configuration = try NetworkServiceConfiguration(baseURL: "https://api.example.com/v1")
        #expect(configuration.sessionType == .defaultService)
        #expect(configuration.clientBundle == "com.networkservice.api")
        #expect(configuration.headers.isEmpty)
    }

    @Test func `Redirects of calls, downloads and uploads are followed if the configuration says so`() async throws {
        struct Store: UploadEndpoint {
            var files: [FilePart] { [.data(Data("x".utf8), filename: "x")] }
            var path: EndpointPath { "/redirect-to" }
            var parameters: EndpointParameters { ["url": "/upload", "status": 307] }
        }
        try await withTemporaryDirectory { folder in
            try await Gateway.withRunning { gateway in
                var configuration = try NetworkServiceConfiguration(baseURL: gateway.baseURL)
                let strict = NetworkService(configuration)
                let refusal = await failure(of: PathOnly(path: "/redirect/1"), by: strict)
                #expect(refusal?.info.status == .found)

                configuration.redirects = .follow(limit: 2)
                let service = NetworkService(configuration)
                try await service.call(PathOnly(path: "/redirect/2"))
                let tooMany = await failure(of: PathOnly(path: "/redirect/3"), by: service)
                #expect(tooMany?.info.networkError?.kind == "tooManyRedirects")
                let file = try await DownloadService(service, folder: folder)
                    .download(downloadPath: "/redirect-to", parameters: ["url": "/bytes/10"], fileName: "file")
                #expect(file.length == 10)
                _ = try await UploadService(Store(), service: service).upload(withKey: "file")
                strict.invalidate()
                service.invalidate()
            }
        }
    }

    @Test func `Headers added later replace those of the configuration`() async throws {
        let (service, server) = try service(Self.ada) { $0.headers = ["X-App": "1", "Accept": "application/hal+json"] }
        service.addRequestHeader(key: "x-app", value: "2")
        service.addRequestHeader(key: "X-App", value: "3")
        try await service.call(Get(User.self))
        #expect(server.requests.last?.header("X-App") == "3")
        #expect(server.requests.last?.header("Accept") == "application/hal+json")
    }

    @Test func `An invalid header fails the call before anything is sent`() async throws {
        let (service, server) = try service(Self.ada)
        service.addRequestHeader(key: "Bad Name", value: "secret")
        let error = try #require(await failure(of: Get(User.self), by: service))
        #expect(error.description.contains("the header name \"Bad Name\" is not a token"))
        #expect(server.requests.isEmpty)
    }

    @Test func `Setting a header again replaces an invalid value`() async throws {
        let (service, server) = try service(Self.ada)
        service.addRequestHeader(key: "X-Token", value: "a\nb")
        let error = try #require(await failure(of: Get(User.self), by: service))
        #expect(error.description.contains("contains a control character"))
        service.addRequestHeader(key: "x-token", value: "c")
        try await service.call(Get(User.self))
        #expect(server.requests.map { $0.header("X-Token") } == ["c"])
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

    @Test func `The HTTP response can be returned with the decoded value`() async throws {
        let (service, _) = try service(
            Self.ada.header(try #require(HTTPField.Name("Link")), "</?page=2>; rel=\"next\"")
        )
        let answer = try await service.answer(to: Get(User.self))
        #expect(answer.value.name == "Ada")
        #expect(answer.response.getHeader(name: "link") == "</?page=2>; rel=\"next\"")
    }

    @Test func `A default or background service shares its client's cookies, and an ephemeral one has its own`()
        async throws
    {
        let server = MockTransport { _ in Self.ada.header(.setCookie, "seen=1") }
        let client = makeClient(server).client
        func cookies(_ type: NetworkServiceSessionType) async throws -> [String?] {
            var configuration = try NetworkServiceConfiguration(baseURL: "https://api.example.com")
            configuration.sessionType = type
            let service = NetworkService(configuration, client: client)
            for _ in 0..<2 { try await service.call(Get(User.self)) }
            return server.requests.suffix(2).map { $0.header("Cookie") }
        }
        #expect(try await cookies(.ephemeral) == [nil, "seen=1"])
        #expect(try await cookies(.defaultService) == [nil, "seen=1"])
        #expect(try await cookies(.background) == ["seen=1", "seen=1"])
        #expect(try await cookies(.ephemeral) == [nil, "seen=1"])
    }

    @Test func `Calls of a service run the interceptors of its client`() async throws {
        let server = MockTransport { _ in Self.ada }
        let client = makeClient(server) { config in
            config.onRequest { $0.setHeader(name: "Authorization", value: "Bearer abc") }
        }.client
        let service = try NetworkService(baseURL: "https://api.example.com", client: client)
        try await service.call(Get(User.self))
        #expect(server.requests.last?.header("Authorization") == "Bearer abc")
    }

    // MARK: Calls in progress

    @Test func `Cancelling the current request cancels running calls of both forms and no later call`() async throws {
        let asked = Watched(0)
        let server = MockTransport { _ in
            let count = asked.update { count in
                count += 1
                return count
            }
            return count <= 2 ? .stall : Self.ada
        }
        let service = try service(server)
        let ended = Watched<[String]>([])
        service.call(Get(User.self)) { result in
            ended.update { $0.append("completion \(result.isCancelled)") }
        }
        let task = Task { await failure(of: Get(User.self), by: service)?.isCancellation }
        try await asked.wait("two running calls") { $0 == 2 }
        service.cancelCurrentRequest()
        #expect(await task.value == true)
        try await ended.wait("the completion") { $0.count == 1 }
        #expect(ended.value == ["completion true"])
        #expect(try await service.call(Get(User.self)).name == "Ada")
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

    @Test func `A completion is called once for each outcome`() async throws {
        for response in [Self.ada, .status(500), .json("{}"), .fail(.connectionLost("gone"))] {
            let calls = Watched(0)
            do {
                let service = try service(response).service
                service.call(Get(User.self)) { _ in calls.update { $0 += 1 } }
                service.call(PathOnly(path: "/../x")) { _ in calls.update { $0 += 1 } }
            }
            try await calls.wait("both completions") { $0 >= 2 }
            for _ in 0..<10 { await Task.yield() }
            #expect(calls.value == 2)
        }
    }

    @MainActor @Test func `A main-actor class can use its state in completions, which are called on the main actor`()
        async throws
    {
        let (service, _) = try service(Self.ada)
        let list = UserList()
        await list.load(from: service).value
        await list.loadMissing(from: service).value
        #expect(list.names == ["Ada", "none"])
        #expect(list.log.lines == ["loaded", "failed"])
    }

    @Test func `Cancelling the task of a completion call cancels only that call`() async throws {
        let asked = Watched(0)
        let server = MockTransport { _ in
            asked.update { $0 += 1 }
            return .stall
        }
        let service = try service(server)
        let ended = Watched<[Int]>([])
        let first = service.call(Get(User.self)) { _ in ended.update { $0.append(1) } }
        let second = service.call(Get(User.self)) { _ in ended.update { $0.append(2) } }
        try await asked.wait("both calls") { $0 == 2 }
        second.cancel()
        try await ended.wait("the second call to end") { $0 == [2] }
        first.cancel()
        await first.value
        #expect(ended.value == [2, 1])
    }

    @Test func `Invalidating a service cancels its calls and refuses later ones, and its client stays usable`()
        async throws
    {
        let asked = Watched(0)
        let server = MockTransport { request in
            if request.path == "/v1/thing" { return Self.ada }
            asked.update { $0 += 1 }
            return .stall
        }
        let client = makeClient(server).client
        let configuration = try NetworkServiceConfiguration(baseURL: "https://api.example.com/v1")
        let first = NetworkService(configuration, client: client)
        let second = NetworkService(configuration, client: client)
        let task = Task { await failure(of: PathOnly(path: "/slow"), by: first) }
        try await asked.wait("the running call") { $0 == 1 }
        first.invalidate()
        let ended = await task.value
        #expect(ended?.isCancellation == true || ended?.isClosed == true)
        #expect(await failure(of: Get(User.self), by: first)?.isClosed == true)
        #expect(try await second.call(Get(User.self)).name == "Ada")

        first.invalidateAll()
        #expect(await failure(of: Get(User.self), by: second)?.isClosed == true)
    }
}

extension Result where Failure == NetworkServiceError {
    fileprivate var isCancelled: Bool { if case .failure(let error) = self { error.isCancellation } else { false } }
}

extension NetworkServiceError {
    fileprivate var isClosed: Bool { if case .clientClosed = info.networkError { true } else { false } }
}
