import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct AdaptingTests {
    private let time = ManualTime()

    /// A token that can be refreshed.
    private final class Tokens: RequestAdapter, RequestRetrier {
        let version = Locked(1)
        let asked = Journal()

        func adapt(_ request: HttpRequest) async throws -> HttpRequest {
            var request = request
            request.setHeader(name: "Authorization", value: "Bearer \(version.withLock { $0 })")
            return request
        }

        func retry(
            _ request: HttpRequest,
            after outcome: Result<HttpResponse, NetworkError>,
            attempt: Int
        ) async -> RetryDecision {
            asked.add("\(attempt) \((try? outcome.get())?.status.code ?? 0)")
            guard case .success(let response) = outcome, response.status == .unauthorized, attempt == 1 else {
                return .doNotRetry
            }
            version.withLock { $0 += 1 }
            return .retry
        }
    }

    private struct Deciding: RequestRetrier {
        let asked = Journal()
        let decide: @Sendable (Int) -> RetryDecision

        func retry(
            _ request: HttpRequest,
            after outcome: Result<HttpResponse, NetworkError>,
            attempt: Int
        ) async -> RetryDecision {
            asked.add("\(attempt)")
            return decide(attempt)
        }
    }

    private func deciding(
        _ server: MockTransport,
        _ retrier: any RequestRetrier,
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) -> HttpClient {
        makeClient(server) { config in
            config.retrier = retrier
            config.retryTime = time.retryTime
            configure(&config)
        }.client
    }

    @Test func `A request refused with 401 is retried with the refreshed token`() async throws {
        let tokens = Tokens()
        let server = MockTransport { request in .status(request.header("Authorization") == "Bearer 2" ? 200 : 401) }
        let client = deciding(server, tokens) { $0.adapter = tokens }
        let response = try await client.request(request: makeRequest())
        #expect(response.status == .ok)
        #expect(response.attempts == 2)
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer 1", "Bearer 2"])
        #expect(tokens.asked.entries == ["1 401", "2 200"])
    }

    @Test func `The adapter runs for each attempt of the retry policy, on the original request`() async throws {
        let journal = Journal()
        struct Counting: RequestAdapter {
            let journal: Journal
            func adapt(_ request: HttpRequest) async throws -> HttpRequest {
                journal.add(request.getHeader(name: "x-seen") ?? "none")
                var request = request
                request.setHeader(name: "x-seen", value: "yes")
                return request
            }
        }
        let (client, server) = makeClient(sequence(.status(503), .status(200))) { config in
            config.adapter = Counting(journal: journal)
            config.retry = .constant(delay: .zero)
            config.retryTime = time.retryTime
        }
        _ = try await client.request(request: makeRequest())
        #expect(journal.entries == ["none", "none"])
        #expect(server.requests.map { $0.header("x-seen") } == ["yes", "yes"])
    }

    @Test func `Headers set by the adapter are kept on redirects within the origin and removed on others`() async throws
    {
        let server = MockTransport { request in
            switch request.path {
            case "/": .redirect(to: "/same")
            case "/same": .redirect(to: "https://other.example.com/there")
            default: .status(200)
            }
        }
        let tokens = Tokens()
        let (client, _) = makeClient(server) { config in
            config.adapter = tokens
            config.redirects = .follow(limit: 5)
        }
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer 1", "Bearer 1", nil])
    }

    @Test func `An error thrown by the adapter fails the call without a retry and before anything is sent`()
        async throws
    {
        struct Refusing: RequestAdapter {
            struct NoToken: Error {}
            func adapt(_ request: HttpRequest) async throws -> HttpRequest { throw NoToken() }
        }
        let (client, server) = makeClient { config in
            config.adapter = Refusing()
            config.retry = .constant(delay: .zero)
        }
        let error = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        guard case .networkError(let failure) = error else {
            Issue.record("unexpected error: \(String(describing: error))")
            return
        }
        #expect(failure.underlying is Refusing.NoToken)
        #expect(server.requests.isEmpty)
    }

    @Test func `A retrier can delay the next attempt`() async throws {
        let retrier = Deciding { $0 < 3 ? .retryAfter(.seconds($0)) : .doNotRetry }
        let server = sequence(.fail(.connectionLost("lost")))
        let client = deciding(server, retrier)
        let error = await failure { () throws(NetworkError) in try await client.request(request: makeRequest()) }
        #expect(error?.failure.reason == "lost, in attempt 3 of the app's retrier")
        #expect(time.sleeps == [.seconds(1), .seconds(2)])
    }

    @Test func `The retrier is asked after the attempts of the retry policy are exhausted`() async throws {
        let retrier = Deciding { $0 == 1 ? .retry : .doNotRetry }
        let server = sequence(.status(503))
        let client = deciding(server, retrier) { $0.retry = .constant(attempts: 3, delay: .zero) }
        #expect(try await client.request(request: makeRequest()).attempts == 6)
        #expect(server.requests.count == 6)
        #expect(retrier.asked.entries == ["1", "2"])
    }

    @Test func `A retrier's retries are limited in number and by the timeout`() async throws {
        let server = sequence(.status(418))
        let client = deciding(server, Deciding { _ in .retry }) { $0.timeout = .infinity }
        #expect(try await client.request(request: makeRequest()).attempts == 10)
        let patient = deciding(server, Deciding { _ in .retryAfter(.seconds(400)) }) { $0.timeout = 1_500 }
        #expect(try await patient.request(request: makeRequest()).attempts == 4)
    }

    @Test func `The retrier is not asked about a cancelled call or a body that cannot be sent again`() async throws {
        let retrier = Deciding { _ in .retry }
        let cancelled = deciding(sequence(.fail(.cancelled("x"))), retrier)
        let error = await failure { () throws(NetworkError) in try await cancelled.request(request: makeRequest()) }
        #expect(error?.kind == "cancelled")
        let request = makeRequest { request in
            request.body = .stream(BodyStream(AsyncStream<Data> { $0.finish() }))
            request.setMethod(.put)
        }
        let server = sequence(.status(401))
        _ = try await deciding(server, retrier).request(request: request)
        #expect(retrier.asked.entries.isEmpty)
        #expect(server.requests.count == 1)
    }
}
