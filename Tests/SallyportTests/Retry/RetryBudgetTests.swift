import ClientTestSupport
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryBudgetTests {
    /// Takes a token for each of several retries, and returns which were granted.
    private func take(_ count: Int, of tokens: inout RetryTokens, at time: Duration = .zero) -> [Bool] {
        var taken: [Bool] = []
        for _ in 0..<count { taken.append(tokens.take(at: time)) }
        return taken
    }

    @Test func `Each retry takes one token until the budget is exhausted`() {
        var tokens = RetryTokens(RetryBudget(retries: 2, perSuccess: 0, perSecond: 0), at: .zero)
        #expect(take(4, of: &tokens, at: .seconds(100)) == [true, true, false, false])
    }

    @Test func `Successes refill the budget up to its maximum`() {
        var tokens = RetryTokens(RetryBudget(retries: 1, perSuccess: 0.5, perSecond: 0), at: .zero)
        for _ in 0..<10 { tokens.succeed(at: .zero) }
        #expect(take(2, of: &tokens) == [true, false])
        tokens.succeed(at: .zero)
        #expect(take(1, of: &tokens) == [false])
        tokens.succeed(at: .zero)
        #expect(take(1, of: &tokens) == [true])
    }

    @Test func `The budget refills over time up to its maximum`() {
        var tokens = RetryTokens(RetryBudget(retries: 5, perSuccess: 0, perSecond: 0.5), at: .zero)
        #expect(take(6, of: &tokens) == [true, true, true, true, true, false])
        #expect(take(1, of: &tokens, at: .seconds(1.9)) == [false])
        #expect(take(2, of: &tokens, at: .seconds(2)) == [true, false])
        #expect(take(1, of: &tokens, at: .seconds(1)) == [false])
        #expect(take(6, of: &tokens, at: .seconds(1_000)) == [true, true, true, true, true, false])
    }

    @Test func `The budget limits the retries to a failing server, and an exhausted budget is reported in the error`()
        async throws
    {
        let time = ManualTime()
        let (client, server) = makeClient(.status(503)) { config in
            config.retry = .constant(attempts: 5, delay: .zero)
            config.retryBudget = RetryBudget(retries: 20, perSuccess: 0.2, perSecond: 0)
            config.retryTime = time.retryTime
        }
        for _ in 0..<100 { _ = try await client.request(request: makeRequest()) }
        #expect(server.requests.count == 120)
        let (failing, _) = makeClient(.fail(.connectionLost("lost"))) { config in
            config.retry = .exponential()
            config.retryBudget = RetryBudget(retries: 0)
        }
        let error = await failure { () throws(NetworkError) in try await failing.request(request: makeRequest()) }
        #expect(error?.failure.reason == "lost, in attempt 1 of 3; the client has used up its budget of retries")
    }

    @Test func `Successful calls refill the budget for other calls`() async throws {
        let time = ManualTime()
        let server = MockTransport { request in .status(request.path == "/good" ? 200 : 503) }
        let (client, _) = makeClient(server) { config in
            config.retry = .constant(attempts: 2, delay: .zero)
            config.retryBudget = RetryBudget(retries: 1, perSuccess: 0.25, perSecond: 0)
            config.retryTime = time.retryTime
        }
        func attempts(_ path: String) async throws -> Int {
            try await client.request(request: makeRequest("https://api.example.com\(path)")).attempts
        }
        #expect(try await attempts("/bad") == 2)
        #expect(try await attempts("/bad") == 1)
        for _ in 0..<4 { _ = try await attempts("/good") }
        #expect(try await attempts("/bad") == 2)
    }
}
