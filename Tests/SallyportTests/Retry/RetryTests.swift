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

    @Test func `Requests are not retried unless the client or the request has a retry policy`() async throws {
        let server = sequence(.status(503))
        let client = retrying(server, nil)
        #expect(try await client.request(request: makeRequest()).attempts == 1)
        #expect(server.requests.count == 1)
        let request = makeRequest { $0.retry = .constant(attempts: 2, delay: .zero) }
        #expect(try await client.request(request: request).attempts == 2)
        #expect(server.requests.count == 3)
    }

    @Test func `A request can disable retries`() async throws {
        let server = sequence(.status(503))
        _ = try await retrying(server).request(request: makeRequest { $0.retry = .never })
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `A transient error status is retried`(status: Int) async throws {
        let server = sequence(.status(status), .text("there"))
        let response = try await retrying(server).request(request: makeRequest())
        #expect(response.bodyAsString() == "there")
        #expect(response.attempts == 2)
        #expect(time.sleeps == [.seconds(1)])
    }

    @Test(arguments: [200, 204, 302, 304, 400, 401, 403, 404, 409, 413, 501, 505])
    func `A status that is not a transient error is not retried`(status: Int) async throws {
        let server = sequence(.status(status))
        #expect(try await retrying(server).request(request: makeRequest()).status.code == status)
        #expect(server.requests.count == 1)
    }

    @Test func `A policy in code decides by the request and the response, also for a POST`() async throws {
        let server = sequence(.status(423), .text("there"))
        let policy = RetryPolicy.custom(attempts: 3, backoff: .constant(.seconds(1))) { request, outcome in
            request.getMethod() == .post && (try? outcome.get().status.code) == 423
        }
        let response = try await retrying(server, policy).request(request: makeRequest { $0.post(json: [:]) })
        #expect(response.bodyAsString() == "there")
        #expect(response.attempts == 2)
        #expect(time.sleeps == [.seconds(1)])
        #expect(try await retrying(sequence(.status(503)), policy).request(request: makeRequest()).attempts == 1)
    }

    @Test func `A policy in code is limited by its attempts, and is not asked about errors that no attempt can change`()
        async
    {
        let always = RetryPolicy.custom(attempts: 3, backoff: .constant(.zero)) { _, _ in true }
        let server = sequence(.fail(.connectionLost("lost")))
        await expectError(\NetworkError.kind, "connectionLost") {
            try await retrying(server, always).request(request: makeRequest { $0.post(json: [:]) })
        }
        #expect(server.requests.count == 3)
        let refusing = sequence(.fail(.pinMismatch("other key")))
        await expectError(\NetworkError.kind, "pinMismatch") {
            try await retrying(refusing, always).request(request: makeRequest())
        }
        #expect(refusing.requests.count == 1)
    }

    @Test func `The retried statuses and errors can be configured`() async throws {
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

    @Test func `The last response is returned when all attempts fail`() async throws {
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
    func `A transient error is retried, and the last error states the number of attempts`(error: NetworkError)
        async throws
    {
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
    func `A permanent error is not retried`(error: NetworkError) async throws {
        let server = sequence(.fail(error))
        let client = retrying(server)
        let last = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        #expect(last?.failure.reason == "x")
        #expect(server.requests.count == 1)
    }

    @Test func `Certificate, pin and request errors are not retried even if the policy includes all errors`()
        async throws
    {
        var policy = RetryPolicy.constant(attempts: 3, delay: .zero)
        policy.errors = Set(RetryPolicy.ErrorKind.allCases)
        for error in [NetworkError.certificateRefused("x"), .pinMismatch("x"), .invalidRequest("x")] {
            let server = sequence(.fail(error))
            let client = retrying(server, policy)
            let last = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
            #expect(last?.kind == error.kind)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func `Idempotent methods are retried`(method: String) async throws {
        let server = sequence(.status(503), .status(200))
        _ = try await retrying(server).request(request: makeRequest { $0.setMethod(method) })
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["POST", "PATCH", "LOCK"])
    func `Other methods are not retried, after a response or a network error`(method: String) async throws {
        let request = makeRequest { $0.setMethod(method) }
        let refusing = sequence(.status(503), .status(200))
        #expect(try await retrying(refusing).request(request: request).status.code == 503)
        #expect(refusing.requests.count == 1)
        for (error, kind) in [(NetworkError.connectionLost("x"), "connectionLost"), (.timeout("x"), "timeout")] {
            let failing = sequence(.fail(error), .status(200))
            await expectError(\NetworkError.kind, kind) { try await retrying(failing).request(request: request) }
            #expect(failing.requests.count == 1)
        }
    }

    static let unsent: [NetworkError] = [
        .connectionFailed("x"), .hostNotFound("x"), .timeout(NetworkFailure("x", phase: .connect)),
        .timeout(NetworkFailure("x", phase: .queue)), .connectionLost(NetworkFailure("x", phase: .tls)),
    ]

    @Test(arguments: unsent)
    func `Any method is retried if nothing of the request was sent`(error: NetworkError) async throws {
        let server = sequence(.fail(error), .status(200))
        let request = makeRequest { $0.post(contentType: "text/plain", body: "once") }
        #expect(try await retrying(server).request(request: request).attempts == 2)
        #expect(server.requests.map(\.text) == ["once", "once"])
    }

    @Test(arguments: unsent)
    func `A POST is not retried if it may have been sent before the failure`(error: NetworkError) async throws {
        var error = error
        error.failure.mayHaveBeenSentEarlier = true
        let server = sequence(.fail(error), .status(200))
        let client = retrying(server)
        let request = makeRequest { $0.post(contentType: "text/plain", body: "once") }
        await expectError(\NetworkError.kind, error.kind) { try await client.request(request: request) }
        #expect(server.requests.count == 1)
        #expect(try await client.request(request: makeRequest()).status.code == 200)
    }

    @Test func `A redirected POST is not retried if the target of the redirect cannot be reached`()
        async throws
    {
        let server = MockTransport { request in
            request.path == "/done" ? .fail(.connectionFailed("x")) : .redirect(to: "/done", status: 303)
        }
        let client = retrying(server) { $0.redirects = .follow(limit: 3) }
        let error = await failure { () throws(NetworkError) in
            try await client.request(request: makeRequest { $0.post(contentType: "text/plain", body: "once") })
        }
        #expect(error?.kind == "connectionFailed")
        #expect(server.requests.map(\.method) == [.post, .get])
    }

    @Test func `A retry starts again at the first URL of a redirect chain`() async throws {
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

    @Test func `Interceptors run once per call, wire interceptors once per attempt`() async throws {
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
