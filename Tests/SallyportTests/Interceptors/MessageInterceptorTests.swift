import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

private struct Message: MessageInterceptor {
    let name: String
    let journal: Journal

    var traceName: String { name }

    func willSend(_ request: inout HttpRequest) {
        journal.add("\(name) out")
        request.addHeader(name: "X-Path", value: name)
    }

    func didReceive(_ response: inout HttpResponse, for request: HttpRequest) {
        journal.add("\(name) back")
        response.body = Data((response.bodyAsString() + name).utf8)
    }
}

private struct Suspending: Interceptor {
    let name: String
    let journal: Journal

    var traceName: String { name }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        journal.add("\(name) out")
        await Task.yield()
        let response = try await next(request)
        journal.add("\(name) back")
        return response
    }
}

private struct Refusal: Error {}

private struct RefusedRequest: MessageInterceptor {
    func willSend(_ request: inout HttpRequest) throws { throw Refusal() }
}

private struct RefusedResponse: MessageInterceptor {
    func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws { throw Refusal() }
}

private struct Idle: MessageInterceptor {}

/// Calls a message interceptor as a part of another interceptor.
private struct Containing: Interceptor {
    let part: any Interceptor

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        try await part.intercept(request, next: next)
    }
}

@Suite(.concurrencyLimited) struct MessageInterceptorTests {
    private let journal = Journal()

    private func message(_ name: String) -> Message { Message(name: name, journal: journal) }

    private func suspending(_ name: String) -> Suspending { Suspending(name: name, journal: journal) }

    @Test func `Requests pass both kinds of interceptors in order, and responses in the reverse order`() async throws {
        let (client, server) = makeClient { config in
            config.addInterceptor(message("A"))
            config.addInterceptor(message("B"))
            config.addInterceptor(suspending("C"))
            config.addInterceptor(message("D"))
            config.addInterceptor(suspending("E"))
            config.addInterceptor(suspending("F"))
            config.addWireInterceptor(message("W"))
        }
        let response = try await client.request(request: makeRequest())
        #expect(
            journal.entries == ["A", "B", "C", "D", "E", "F", "W"].map { "\($0) out" }
                + ["W", "F", "E", "D", "C", "B", "A"].map { "\($0) back" }
        )
        #expect(server.requests.first?.header("X-Path") == "A, B, D, W")
        #expect(response.bodyAsString() == "WDBA")
    }

    @Test func `An interceptor receives the response with the request that it has passed on`() async throws {
        struct Target: MessageInterceptor {
            let url: String
            let journal: Journal

            func willSend(_ request: inout HttpRequest) { request.url = url }

            func didReceive(_ response: inout HttpResponse, for request: HttpRequest) {
                journal.add("\(request.url ?? "") \(response.request.url ?? "")")
            }
        }
        let (client, _) = makeClient { config in
            for name in ["a", "b", "c"] {
                config.addInterceptor(Target(url: "https://\(name).example.com/", journal: journal))
            }
        }
        _ = try await client.request(request: makeRequest())
        #expect(journal.entries == ["c", "b", "a"].map { "https://\($0).example.com/ https://c.example.com/" })
    }

    @Test func `Closures that suspend and closures that do not run in registration order`() async throws {
        let (client, _) = makeClient { [journal] config in
            config.onRequest { _ in journal.add("1") }
            config.onRequest { _ in
                await Task.yield()
                journal.add("2")
            }
            config.onRequest { _ in journal.add("3") }
        }
        _ = try await client.request(request: makeRequest())
        #expect(journal.entries == ["1", "2", "3"])
    }

    private func expectRefusal(of client: HttpClient, by name: String, at location: SourceLocation = #_sourceLocation)
        async
    {
        await #expect(sourceLocation: location) {
            try await client.request(request: makeRequest("https://api.example.com/a?b=c"))
        } throws: { error in
            guard case NetworkError.networkError(let failure) = error else { return false }
            return failure.underlying is Refusal && failure.request == "GET https://api.example.com/a?…"
                && failure.reason.hasPrefix("the interceptor \(name) failed")
        }
    }

    @Test func `A refused request is not sent, and reaches no other interceptor`() async {
        let (client, server) = makeClient { config in
            config.addInterceptor(message("A"))
            config.addInterceptor(RefusedRequest())
            config.addInterceptor(message("B"))
        }
        await expectRefusal(of: client, by: "RefusedRequest")
        #expect(journal.entries == ["A out"])
        #expect(server.requests.isEmpty)
    }

    @Test func `A refused response reaches no earlier interceptor`() async {
        let (client, server) = makeClient { config in
            config.addInterceptor(message("A"))
            config.addInterceptor(RefusedResponse())
            config.addInterceptor(message("B"))
        }
        await expectRefusal(of: client, by: "RefusedResponse")
        #expect(journal.entries == ["A out", "B out", "B back"])
        #expect(server.requests.count == 1)
    }

    @Test func `A failed request does not return to the interceptors`() async {
        let (client, _) = makeClient(.fail(.connectionFailed("refused"))) { config in
            config.addInterceptor(message("A"))
            config.onRequest { $0.url = "https://other.example.com/" }
        }
        let error = await expectError(\NetworkError.kind, "connectionFailed") {
            try await client.request(request: makeRequest())
        }
        #expect(error?.failure.request == "GET https://other.example.com/")
        #expect(journal.entries == ["A out"])
    }

    @Test func `Closing the client in an interceptor prevents the request from being sent`() async {
        struct Closing: MessageInterceptor {
            let client: @Sendable () -> HttpClient?

            func willSend(_ request: inout HttpRequest) { client()?.close() }
        }
        let closed = Locked<HttpClient?>(nil)
        let (client, server) = makeClient { config in
            config.addInterceptor(Closing { closed.withLock { $0 } })
        }
        closed.withLock { $0 = client }
        await expectError(\NetworkError.kind, "clientClosed") { try await client.request(request: makeRequest()) }
        #expect(server.requests.isEmpty)
        closed.withLock { $0 = nil }
    }

    @Test func `A trace lists the changes of each interceptor`() async throws {
        let (client, _) = makeClient { config in
            config.standardHeaders = StandardHeaders(requestedWith: nil, requestedPlatform: nil)
            config.addInterceptor(message("A"))
            config.addInterceptor(Idle())
            config.addInterceptor(message("B"))
            config.addInterceptor(suspending("C"))
            config.addInterceptor(message("D"))
        }
        let response = try await client.request(request: makeRequest { $0.isTraced = true })
        #expect(
            "\(try #require(response.trace))" == """
                GET https://api.example.com/
                @ A
                + header X-Path: A
                @ B
                + header X-Path: B
                @ D
                + header X-Path: D
                > GET https://api.example.com/
                < 200
                """
        )
    }

    @Test func `An interceptor can contain a message interceptor`() async throws {
        let basic = BasicAuthentication(user: "ada", password: "x", for: ["https://api.example.com"])
        let (client, server) = makeClient { config in
            config.addInterceptor(Containing(part: message("A")))
            config.authentication = [Containing(part: basic)]
        }
        let response = try await client.request(request: makeRequest())
        #expect(journal.entries == ["A out", "A back"])
        #expect(response.bodyAsString() == "A")
        #expect(server.requests.first?.header("Authorization") == "Basic YWRhOng=")
    }

    @Test func `It runs for each attempt and redirect when it is added as a wire interceptor`() async throws {
        let server = MockTransport()
        server.on(nil, "/a", .redirect(to: "/b"))
        server.on(nil, "/b", .text("there"))
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 3)
            config.addInterceptor(message("A"))
            config.addWireInterceptor(message("W"))
        }
        _ = try await client.request(request: makeRequest("https://api.example.com/a"))
        #expect(journal.entries == ["A out", "W out", "W back", "W out", "W back", "A back"])
    }

    @Test func `It sees the timeouts that apply to the request`() async throws {
        struct Limits: MessageInterceptor {
            let journal: Journal

            func willSend(_ request: inout HttpRequest) {
                journal.add("\(request.timeouts?.total ?? .zero) \(request.timeouts?.connect ?? .zero)")
                request.timeouts?.connect = .seconds(4)
            }
        }
        let (client, server) = makeClient { config in
            config.timeouts = Timeouts(connect: .seconds(3), total: .seconds(9))
            config.addInterceptor(Limits(journal: journal))
        }
        let response = try await client.request(request: makeRequest())
        _ = try await client.request(request: makeRequest { $0.timeout = 7 })
        _ = try await client.request(request: makeRequest { $0.timeouts = Timeouts(connect: .seconds(1), total: nil) })
        #expect(journal.entries == ["9.0 seconds 3.0 seconds", "7.0 seconds 3.0 seconds", "0.0 seconds 1.0 seconds"])
        #expect(server.requests.map(\.timeouts.connect) == [.seconds(4), .seconds(4), .seconds(4)])
        #expect(response.request.timeouts?.total == .seconds(9))
    }
}
