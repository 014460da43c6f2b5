import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// Each test runs in a process of its own, as registered interceptors change the requests of all clients of a process.
@Suite(.concurrencyLimited) struct FRRequestInterceptorRegistryTests {
    @Test func `Interceptors run in the order of registration, and are replaced, appended or removed`() async {
        await #expect(processExitsWith: .success) {
            register("a", "b")
            try await Self.expectNames("a,b")
            register("c")
            try await Self.expectNames("c")
            register("d", "d", shouldOverride: false)
            try await Self.expectNames("c,d,d")
            registerNil()
            try await Self.expectNames(nil)
        }
    }

    @Test func `Interceptors receive the payload of the action as values that they can cast`() async {
        await #expect(processExitsWith: .success) {
            register("a")
            try await Self.expectNames("a,Login", for: Action("AUTHENTICATE", payload: ["tree": "Login"]))
            register(PayloadInterceptor())
            let payload: [String: JsonValue] = [
                "tree": "Login", "retries": 2, "ratio": 0.5, "isFirst": true, "users": ["ada"], "step": ["number": 3],
                "none": nil,
            ]
            try await Self.expectNames("Login 2 0.5 true ada 3 null", for: Action("AUTHENTICATE", payload: payload))
        }
    }

    @Test func `An interceptor that registers another one changes the next call`() async {
        await #expect(processExitsWith: .success) {
            register(ReplacingInterceptor())
            try await Self.expectNames(nil)
            try await Self.expectNames("replacement")
        }
    }

    @Test func `Interceptors are called for one request at a time`() async {
        await #expect(processExitsWith: .success) {
            let counting = CountingInterceptor()
            register(counting)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<500 { group.addTask { try await Self.expectNames(nil) } }
                try await group.waitForAll()
            }
            #expect(counting.count == 500)
            #expect(counting.overlaps.value == 0)
        }
    }

    @Test func `An interceptor can wait for a thread that registers another one`() async {
        await #expect(processExitsWith: .success) {
            register(WaitingInterceptor())
            try await Self.expectNames("registered")
            try await Self.expectNames("later")
        }
    }

    /// Sends a request, and expects the header that the interceptors have set.
    private static func expectNames(
        _ names: String?,
        for action: Action = Action("LOGOUT"),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (client, server) = makeClient { addRegistered(to: &$0) }
        defer { client.close() }
        _ = try await client.request(request: makeRequest { $0.action = action })
        #expect(server.requests.map { $0.header("X-Names") } == [names], sourceLocation: sourceLocation)
    }
}
