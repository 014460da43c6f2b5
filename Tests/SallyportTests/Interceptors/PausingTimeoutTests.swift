import ClientTestSupport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct PausingTimeoutTests {
    /// Waits before the first request, as if for the user.
    private struct Question: Interceptor {
        let isPaused: Bool
        let duration: Duration
        let isAsked = Locked(false)

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            if isAsked.withLock({ isAsked in (isAsked, isAsked = true).0 }) { return try await next(request) }
            if isPaused {
                try await next.pausingTimeout { try await Task.sleep(for: duration) }
            } else {
                try await Task.sleep(for: duration)
            }
            return try await next(request)
        }
    }

    /// Records the time that is left before and after the later stages.
    private struct TimeLeft: Interceptor {
        let used: Locked<Duration?>

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            let before = next.timeLeft(for: request)
            let response = try await next(request)
            let after = next.timeLeft(for: request)
            if let before, let after { used.withLock { $0 = before - after } }
            return response
        }
    }

    @Test func `Waiting for the user inside pausingTimeout does not consume the call's timeout`() async throws {
        let (client, server) = makeClient { config in
            // On a busy machine, the rest of the call may take seconds.
            config.timeout = 5
            config.addInterceptor(Question(isPaused: true, duration: .milliseconds(5_500)))
        }
        let response: HttpResponse = try await client.request(request: makeRequest())
        #expect(response.status == .ok)
        let left = try #require(server.requests.first?.timeouts.total)
        #expect(left > .zero && left <= .seconds(5))
    }

    @Test func `Waiting for the user without pausingTimeout consumes the call's timeout`() async {
        let (client, server) = makeClient { config in
            config.timeout = 0.2
            config.addInterceptor(Question(isPaused: false, duration: .milliseconds(400)))
        }
        await expectError(\NetworkError.kind, "timeout") {
            try await client.request(request: makeRequest()) as HttpResponse
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A pause in an inner stage also pauses the timeout seen by outer stages`() async throws {
        let used = Locked<Duration?>(nil)
        let (client, _) = makeClient { config in
            config.addInterceptor(TimeLeft(used: used))
            config.addWireInterceptor(Question(isPaused: true, duration: .seconds(3)))
        }
        _ = try await client.request(request: makeRequest()) as HttpResponse
        #expect(try #require(used.withLock { $0 }) < .seconds(2))
    }

    @Test func `A call is retried although a pause was longer than its timeout`() async throws {
        let (client, server) = makeClient(sequence(.status(503), .status(200))) { config in
            // On a busy machine, the rest of the call may take seconds.
            config.timeout = 6
            config.retry = RetryPolicy(attempts: 2, backoff: .constant(.milliseconds(200)))
            config.retry?.attemptTimeout = .seconds(5)
            config.authentication = [Question(isPaused: true, duration: .milliseconds(6_500))]
        }
        let response: HttpResponse = try await client.request(request: makeRequest())
        #expect(response.status == .ok)
        #expect(response.attempts == 2)
        #expect(server.requests.count == 2)
    }

    @Test func `Overlapping pauses are counted once`() {
        let pauses = CallPauses()
        let start = ContinuousClock.now
        func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
        pauses.begin(at: at(1))
        pauses.begin(at: at(2))
        #expect(pauses.duration(until: at(3)) == .seconds(2))
        pauses.end(at: at(4))
        #expect(pauses.duration(until: at(5)) == .seconds(4))
        pauses.end(at: at(6))
        #expect(pauses.duration(until: at(9)) == .seconds(5))
        pauses.begin(at: at(10))
        pauses.end(at: at(11))
        #expect(pauses.duration(until: at(12)) == .seconds(6))
    }

    @Test func `The part of a pause before a call does not change its clock`() {
        let pauses = CallPauses()
        pauses.begin(at: ContinuousClock.now - .seconds(3600))
        #expect(CallClock(pauses: pauses).elapsed == .zero)
    }

    @Test func `A pause ends when its closure throws`() async throws {
        struct Refused: Error {}
        struct Refusing: Interceptor {
            let used: Locked<Duration?>

            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                await #expect(throws: Refused.self) { try await next.pausingTimeout { throw Refused() } }
                let before = next.timeLeft(for: request)
                try await Task.sleep(for: .milliseconds(20))
                let after = next.timeLeft(for: request)
                if let before, let after { used.withLock { $0 = before - after } }
                return try await next(request)
            }
        }
        let used = Locked<Duration?>(nil)
        let (client, _) = makeClient { config in config.addInterceptor(Refusing(used: used)) }
        _ = try await client.request(request: makeRequest()) as HttpResponse
        #expect(try #require(used.withLock { $0 }) >= .milliseconds(20))
    }

    @Test func `A pause does not consume the timeout of an event stream with several connections`() async throws {
        let (client, _) = makeClient(sequence(eventStream("data: a\n\n"), eventStream("data: b\n\n"), .status(204))) {
            config in
            config.addInterceptor(Question(isPaused: true, duration: .milliseconds(10_100)))
        }
        let options = EventStreamOptions.make { $0.reconnectionTime = .milliseconds(500) }
        var events: [String] = []
        for try await event in client.events(request: makeRequest { $0.timeout = 10 }, options: options) {
            events.append(event.data)
        }
        #expect(events == ["a", "b"])
    }

    @Test func `A call of a client without interceptors does not record pauses`() {
        func pauses(_ configure: (inout HttpClientConfiguration) -> Void) -> CallPauses? {
            var configuration = HttpClientConfiguration()
            configure(&configuration)
            let state = ClientState()
            let retries = RetryDriver(configuration, of: state)
            return Pipeline(configuration, transport: MockTransport(), retries: retries).makePauses()
        }
        #expect(pauses { $0.onRequest { _ in } } == nil)
        #expect(pauses { $0.addInterceptor(Question(isPaused: true, duration: .zero)) } != nil)
        #expect(pauses { $0.sealing = [Question(isPaused: true, duration: .zero)] } != nil)
    }
}
