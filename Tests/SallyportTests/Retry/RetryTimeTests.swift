import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryTimeTests {
    private let time = ManualTime()

    /// Returns a Boolean value that indicates whether the used part of a limit is no more than a busy machine needs.
    private func isNearly(_ limit: Duration, _ left: Duration?) -> Bool {
        left.map { $0 <= limit && $0 > limit - .seconds(100) } ?? false
    }

    private func retrying(_ server: MockTransport, _ policy: RetryPolicy, timeout: TimeInterval = 1_500) -> HttpClient {
        makeClient(server) { config in
            config.retry = policy
            config.timeout = timeout
            config.retryTime = time.retryTime
        }.client
    }

    @Test(arguments: ["7", "Sun, 06 Nov 1994 08:49:44 GMT"])
    func `The delay of Retry-After is waited in full`(value: String) async throws {
        let server = sequence(MockResponse.status(503).header(.retryAfter, value), .status(200))
        let policy = RetryPolicy.exponential(base: .milliseconds(1), cap: .milliseconds(1))
        #expect(try await retrying(server, policy).request(request: makeRequest()).status.code == 200)
        #expect(time.sleeps == [.seconds(7)])
    }

    @Test func `A response with a Retry-After above the policy's maximum is returned to the caller`() async throws {
        let server = sequence(MockResponse.status(429).header(.retryAfter, "9"), .status(200))
        var policy = RetryPolicy.exponential()
        policy.longestRetryAfter = .seconds(8)
        let response = try await retrying(server, policy).request(request: makeRequest())
        #expect(response.status.code == 429)
        #expect(response.attempts == 1)
        #expect(time.sleeps.isEmpty)
    }

    @Test func `A response is returned immediately if the delay would outlast the call`() async throws {
        let server = sequence(MockResponse.status(503).header(.retryAfter, "60"), .status(200))
        let response = try await retrying(server, .exponential(), timeout: 60).request(request: makeRequest())
        #expect(response.status.code == 503)
        #expect(time.sleeps.isEmpty)
    }

    @Test func `Delays consume the call's timeout, and the last error says that too little time is left`() async throws
    {
        let server = sequence(.fail(.connectionLost("lost")))
        let client = retrying(server, .constant(attempts: 9, delay: .seconds(400)))
        let error = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        #expect(error?.failure.reason == "lost, in attempt 4 of 9, with too little time left for another")
        #expect(time.sleeps == [.seconds(400), .seconds(400), .seconds(400)])
    }

    @Test func `Each attempt's timeout is limited by the policy and the call`() async throws {
        var policy = RetryPolicy.constant(attempts: 3, delay: .zero)
        policy.attemptTimeout = .seconds(400)
        for (timeout, limit) in [(1_500, 400), (200, 200), (.infinity, 400)] as [(TimeInterval, Double)] {
            let server = sequence(.status(503))
            _ = try await retrying(server, policy, timeout: timeout).request(request: makeRequest())
            #expect(server.requests.count == 3)
            #expect(server.requests.allSatisfy { isNearly(.seconds(limit), $0.timeouts.total) })
        }
    }

    @Test func `An attempt that exceeds its timeout is retried`() async throws {
        var policy = RetryPolicy.constant(attempts: 20, delay: .zero)
        policy.attemptTimeout = .milliseconds(500)
        let server = sequence(.stall, .status(200))
        let response = try await retrying(server, policy).request(request: makeRequest())
        #expect(response.status == .ok)
        #expect(response.attempts > 1)
    }

    @Test func `The attempt timeout does not limit a streamed body`() async throws {
        var policy = RetryPolicy.constant(delay: .zero)
        policy.attemptTimeout = .seconds(400)
        let server = sequence(.status(200))
        let limits = Timeouts(resolve: nil, connect: .seconds(500), tls: .seconds(10), total: nil)
        try await retrying(server, policy).stream(request: makeRequest { $0.timeouts = limits }) { _ in }
        let timeouts = try #require(server.requests.first?.timeouts)
        #expect(timeouts.total == nil)
        #expect(timeouts.idle == .seconds(60))
        #expect([timeouts.queue, timeouts.tls] == [.seconds(60), .seconds(10)])
        for limit in [timeouts.resolve, timeouts.connect, timeouts.head] {
            #expect(isNearly(.seconds(400), limit))
        }
    }

    @Test func `Cancelling the task ends a call that waits for a retry`() async throws {
        let isWaiting = Signal()
        let server = sequence(.status(503))
        let (client, _) = makeClient(server) { config in
            config.retry = .constant(delay: .seconds(3_600))
            config.timeout = .infinity
            config.retryTime = .system
            config.retryTime.sleep = { delay in
                isWaiting.fire()
                try await Task.sleep(for: delay)
            }
        }
        let call = Task { try await client.request(request: makeRequest()) }
        try await isWaiting.wait()
        call.cancel()
        let result = try await withDeadline(.patience, "the cancelled call") { await call.result }
        guard case .failure(NetworkError.cancelled) = result else {
            Issue.record("not cancelled: \(result)")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test func `Closing the client ends a call that waits for a retry`() async throws {
        let isWaiting = Signal()
        let server = sequence(.status(503))
        let (client, _) = makeClient(server) { config in
            config.retry = .constant(delay: .seconds(3_600))
            config.timeout = .infinity
            config.retryTime.sleep = { delay in
                isWaiting.fire()
                try await Task.sleep(for: delay)
            }
        }
        let call = Task { try await client.request(request: makeRequest()) }
        try await isWaiting.wait()
        client.close()
        let result = try await withDeadline(.patience, "the call of a closed client") { await call.result }
        guard case .failure(NetworkError.clientClosed) = result else {
            Issue.record("not closed: \(result)")
            return
        }
    }

    @Test func `An interceptor can limit an attempt, wait and send the request again`() async throws {
        struct Twice: Interceptor {
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                let response = try await next.limited(to: .seconds(300))(request)
                guard let left = next.timeLeft(for: request), left > .seconds(1) else { return response }
                try await next.wait(for: .milliseconds(1))
                return try await next(request)
            }
        }
        let (client, server) = makeClient { $0.addInterceptor(Twice()) }
        _ = try await client.request(request: makeRequest { $0.timeout = 1_000 })
        #expect(isNearly(.seconds(300), server.requests.first?.timeouts.total))
        #expect(isNearly(.seconds(1_000), server.requests.last?.timeouts.total))
    }
}
