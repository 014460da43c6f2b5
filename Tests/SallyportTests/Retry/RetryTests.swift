import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryTests {
    private let time = ManualTime()

    private func retrying(
        _ server: MockTransport,
        _ policy: RetryPolicy? = .constant(attempts: 3, delay: .seconds(1)),
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) -> HttpClient {
        makeClient(server) { config in
            config.retry = policy
            config.retryTime = time.retryTime
            configure(&config)
        }.client
    }

    @Test func `Nothing is sent twice unless a client or a request says so`() async throws {
        let server = sequence(.status(503))
        let client = retrying(server, nil)
        #expect(try await client.request(request: makeRequest()).attempts == 1)
        #expect(server.requests.count == 1)
        let request = makeRequest { $0.retry = .constant(attempts: 2, delay: .zero) }
        #expect(try await client.request(request: request).attempts == 2)
        #expect(server.requests.count == 3)
    }

    @Test func `A request can refuse to be retried`() async throws {
        let server = sequence(.status(503))
        _ = try await retrying(server).request(request: makeRequest { $0.retry = .never })
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `A status that may pass is tried again`(status: Int) async throws {
        let server = sequence(.status(status), .text("there"))
        let response = try await retrying(server).request(request: makeRequest())
        #expect(response.bodyAsString() == "there")
        #expect(response.attempts == 2)
        #expect(time.sleeps == [.seconds(1)])
    }

    @Test(arguments: [200, 204, 302, 304, 400, 401, 403, 404, 409, 413, 501, 505])
    func `A status that would not change is not tried again`(status: Int) async throws {
        let server = sequence(.status(status))
        #expect(try await retrying(server).request(request: makeRequest()).status.code == status)
        #expect(server.requests.count == 1)
    }

    @Test func `Statuses and errors are for the app to choose`() async throws {
        var policy = RetryPolicy.constant(attempts: 2, delay: .zero)
        policy.statuses = [404]
        policy.errors = []
        let server = sequence(.status(404))
        _ = try await retrying(server, policy).request(request: makeRequest())
        #expect(server.requests.count == 2)
        let broken = sequence(.fail(.connectionLost("lost")))
        let client = retrying(broken, policy)
        let error = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        #expect(error?.failure.reason == "lost")
        #expect(broken.requests.count == 1)
    }

    @Test func `When all attempts fail the last response is the response`() async throws {
        let server = sequence(.status(500), .status(502), .text("last", status: 503))
        let response = try await retrying(server).request(request: makeRequest())
        #expect(response.status.code == 503)
        #expect(response.bodyAsString() == "last")
        #expect(response.attempts == 3)
        #expect(server.requests.count == 3)
    }

    static let passing: [NetworkError] = [
        .networkUnavailable("x"), .hostNotFound("x"), .connectionFailed("x"), .timeout("x"), .connectionLost("x"),
        .incompleteBody("x"),
    ]

    @Test(arguments: passing)
    func `An error that may pass is tried again, and the last one says how often`(error: NetworkError) async throws {
        let server = sequence(.fail(error))
        let client = retrying(server)
        let last = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        #expect(last?.failure.reason == "x, in the last of 3 attempts")
        #expect(server.requests.count == 3)
        let passing = sequence(.fail(error), .fail(error), .status(200))
        #expect(try await retrying(passing).request(request: makeRequest()).attempts == 3)
    }

    static let lasting: [NetworkError] = [
        .invalidRequest("x"), .tlsFailed("x"), .certificateRefused("x"), .pinMismatch("x"), .invalidResponse("x"),
        .undecodableBody("x"), .responseTooLarge("x"), .tooManyRedirects("x"), .cancelled("x"), .clientClosed("x"),
        .networkError("x"),
    ]

    @Test(arguments: lasting)
    func `An error that would not change is not tried again`(error: NetworkError) async throws {
        let server = sequence(.fail(error))
        let client = retrying(server)
        let last = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        #expect(last?.failure.reason == "x")
        #expect(server.requests.count == 1)
    }

    @Test func `Failures of trust are not tried again even when all kinds of errors are`() async throws {
        var policy = RetryPolicy.constant(attempts: 3, delay: .zero)
        policy.errors = Set(RetryPolicy.ErrorKind.allCases)
        for error in [NetworkError.certificateRefused("x"), .pinMismatch("x"), .invalidRequest("x")] {
            let server = sequence(.fail(error))
            let client = retrying(server, policy)
            _ = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func `An idempotent method is repeated`(method: String) async throws {
        let server = sequence(.status(503), .status(200))
        _ = try await retrying(server).request(request: makeRequest { $0.setMethod(method) })
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["POST", "PATCH", "LOCK"])
    func `Another method is not repeated, whether the server answered or not`(method: String) async throws {
        for answer in [MockResponse.status(503), .fail(.connectionLost("x")), .fail(.timeout("x"))] {
            let server = sequence(answer, .status(200))
            let client = retrying(server)
            _ = await failure { () throws(NetworkError) in
                try await client.request(request: makeRequest { $0.setMethod(method) })
            }
            #expect(server.requests.count == 1)
        }
    }

    static let unsent: [NetworkError] = [
        .connectionFailed("x"), .hostNotFound("x"), .timeout(NetworkFailure("x", phase: .connect)),
        .timeout(NetworkFailure("x", phase: .queue)), .connectionLost(NetworkFailure("x", phase: .tls)),
    ]

    @Test(arguments: unsent)
    func `Any method is repeated when nothing of it had left`(error: NetworkError) async throws {
        let server = sequence(.fail(error), .status(200))
        let request = makeRequest { $0.post(contentType: "text/plain", body: "once") }
        #expect(try await retrying(server).request(request: request).attempts == 2)
        #expect(server.requests.map(\.text) == ["once", "once"])
    }

    @Test func `A POST that was answered by a redirect is not repeated when the redirect cannot be reached`()
        async throws
    {
        let server = MockTransport { request in
            request.path == "/done" ? .fail(.connectionFailed("x")) : .redirect(to: "/done", status: 303)
        }
        let client = retrying(server) { $0.redirects = .follow(limit: 3) }
        _ = await failure { () throws(NetworkError) in
            try await client.request(request: makeRequest { $0.post(contentType: "text/plain", body: "once") })
        }
        #expect(server.requests.map(\.method) == [.post, .get])
    }

    @Test func `A retry goes the whole way again, redirects included`() async throws {
        let isFirst = Locked(true)
        let server = MockTransport { request in
            if request.path == "/" { return .redirect(to: "/next") }
            return isFirst.withLock { isFirst in
                defer { isFirst = false }
                return .status(isFirst ? 503 : 200)
            }
        }
        let client = retrying(server) { $0.redirects = .follow(limit: 1) }
        #expect(try await client.request(request: makeRequest()).status.code == 200)
        #expect(server.requests.map(\.path) == ["/", "/next", "/", "/next"])
    }

    @Test func `Interceptors see a call once, wire interceptors each attempt`() async throws {
        struct Counting: Interceptor {
            let journal: Journal
            let name: String
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                journal.add(name)
                return try await next(request)
            }
        }
        let journal = Journal()
        let client = retrying(sequence(.status(503), .status(200))) { config in
            config.addInterceptor(Counting(journal: journal, name: "app"))
            config.addWireInterceptor(Counting(journal: journal, name: "wire"))
            config.onResponse { response in journal.add("\(response.status.code)") }
        }
        _ = try await client.request(request: makeRequest())
        #expect(journal.entries == ["app", "wire", "wire", "200"])
    }
}
