import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestInterceptorRegistryTests {
    private struct Marked: RequestInterceptor {
        let mark: String

        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            var request = request
            request.addHeader(name: "X-Marks", value: mark)
            return request
        }
    }

    private struct Other: RequestInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest { request }
    }

    private let registry = RequestInterceptorRegistry()

    private var marks: [String] {
        registry.interceptors.map { interceptor in (interceptor as? Marked)?.mark ?? "other" }
    }

    @Test func `Registering replaces, in order`() {
        registry.register(Marked(mark: "a"), Marked(mark: "b"))
        #expect(marks == ["a", "b"])
        registry.registerInterceptors(interceptors: [Marked(mark: "c")])
        #expect(marks == ["c"])
    }

    @Test func `Registering can append`() {
        registry.register(Marked(mark: "a"))
        registry.registerInterceptors(interceptors: [Marked(mark: "b"), Marked(mark: "c")], shouldAppend: true)
        registry.registerInterceptors(interceptors: nil, shouldAppend: true)
        #expect(marks == ["a", "b", "c"])
    }

    @Test func `nil clears, and so does clear`() {
        registry.register(Marked(mark: "a"))
        registry.registerInterceptors(interceptors: nil)
        #expect(marks.isEmpty)
        registry.register(Marked(mark: "a"))
        registry.clear()
        #expect(marks.isEmpty)
    }

    @Test func `All of a type can be removed`() {
        registry.register(Marked(mark: "a"), Other(), Marked(mark: "b"))
        registry.remove(Marked.self)
        #expect(marks == ["other"])
    }

    @Test func `One that is registered twice runs twice`() async throws {
        let (client, server) = makeClient { $0.requestInterceptors = registry }
        registry.register(Marked(mark: "a"), Marked(mark: "a"))
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "a, a")
    }

    @Test func `A change is seen by the calls that come after it`() async throws {
        let (client, server) = makeClient()
        #expect(client.requestInterceptors.interceptors.isEmpty)
        client.requestInterceptors.register(Marked(mark: "a"))
        _ = try await client.request(request: startAuthenticate())
        client.requestInterceptors.clear()
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.map { $0.header("X-Marks") } == ["a", nil])
    }

    @Test func `A call goes by what was registered when it came`() async throws {
        let registry = registry
        let (client, server) = makeClient { $0.requestInterceptors = registry }
        registry.register(Intercepting { _, _ in registry.clear() }, Marked(mark: "still"))
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "still")
        #expect(registry.interceptors.isEmpty)
    }

    @Test func `Each client has its own, and all have the shared one, which is asked first`() async throws {
        struct Shared: RequestInterceptor {
            static let type: ActionType = "SHARED_REGISTRY_TEST"

            func intercept(request: HttpRequest, action: Action) -> HttpRequest {
                action.type == Self.type ? Marked(mark: "shared").intercept(request: request, action: action) : request
            }
        }
        RequestInterceptorRegistry.shared.registerInterceptors(interceptors: [Shared()], shouldAppend: true)
        defer { RequestInterceptorRegistry.shared.remove(Shared.self) }
        let server = MockTransport { _ in .status(200) }
        for mark in ["a", "b"] {
            let (client, _) = makeClient(server) { $0.requestInterceptors.register(Marked(mark: mark)) }
            _ = try await client.request(request: makeRequest { $0.action = Action(Shared.type) })
        }
        let (client, _) = makeClient(server) { $0.requestInterceptors = .shared }
        _ = try await client.request(request: makeRequest { $0.action = Action(Shared.type) })
        #expect(server.requests.map { $0.header("X-Marks") } == ["shared, a", "shared, b", "shared"])
    }

    @Test func `Any number of tasks may change it and call with it, and each call sees one whole list`() async throws {
        let registry = registry
        let (client, server) = makeClient { $0.requestInterceptors = registry }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    switch number % 4 {
                    case 0: registry.register(Marked(mark: "a"), Marked(mark: "b"))
                    case 1: registry.register(Marked(mark: "c"), Marked(mark: "d"))
                    case 2: registry.clear()
                    default: break
                    }
                    _ = try await client.request(request: startAuthenticate())
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 200)
        let seen = Set(server.requests.map { $0.header("X-Marks") ?? "" })
        #expect(seen.isSubset(of: ["", "a, b", "c, d"]), "\(seen)")
    }

    @Test func `No registration that appends is lost among many tasks`() async {
        let registry = registry
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    registry.registerInterceptors(interceptors: [Marked(mark: "\(number)")], shouldAppend: true)
                }
            }
        }
        #expect(Set(marks).count == 500)
    }
}
