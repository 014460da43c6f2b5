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

    @Test func `Registering replaces the earlier interceptors and keeps the given order`() {
        registry.register(Marked(mark: "a"), Marked(mark: "b"))
        #expect(marks == ["a", "b"])
        registry.registerInterceptors(interceptors: [Marked(mark: "c")])
        #expect(marks == ["c"])
    }

    @Test func `Registering with shouldAppend appends to the earlier interceptors`() {
        registry.register(Marked(mark: "a"))
        registry.registerInterceptors(interceptors: [Marked(mark: "b"), Marked(mark: "c")], shouldAppend: true)
        registry.registerInterceptors(interceptors: nil, shouldAppend: true)
        #expect(marks == ["a", "b", "c"])
    }

    @Test func `Registering nil removes all interceptors, as clear does`() {
        registry.register(Marked(mark: "a"))
        registry.registerInterceptors(interceptors: nil)
        #expect(marks.isEmpty)
        registry.register(Marked(mark: "a"))
        registry.clear()
        #expect(marks.isEmpty)
    }

    @Test func `All interceptors of a type can be removed`() {
        registry.register(Marked(mark: "a"), Other(), Marked(mark: "b"))
        registry.remove(Marked.self)
        #expect(marks == ["other"])
    }

    @Test func `An interceptor registered twice runs twice`() async throws {
        let (client, server) = makeClient { $0.requestInterceptors = registry }
        registry.register(Marked(mark: "a"), Marked(mark: "a"))
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "a, a")
    }

    @Test func `Calls use the interceptors registered at their start, also after a change`() async throws {
        let (client, server) = makeClient()
        #expect(client.requestInterceptors.interceptors.isEmpty)
        client.requestInterceptors.register(Marked(mark: "a"))
        _ = try await client.request(request: startAuthenticate())
        client.requestInterceptors.clear()
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.map { $0.header("X-Marks") } == ["a", nil])
    }

    @Test func `A change of the registry during a call does not affect that call`() async throws {
        let registry = registry
        let (client, server) = makeClient { $0.requestInterceptors = registry }
        registry.register(Intercepting { _, _ in registry.clear() }, Marked(mark: "still"))
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "still")
        #expect(registry.interceptors.isEmpty)
    }

    @Test func `The shared registry's interceptors run for every client, before the client's own`() async throws {
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

    @Test func `Concurrent changes never give a call a mixture of two registrations`() async throws {
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

    @Test func `Concurrent appending registrations are all retained`() async {
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
