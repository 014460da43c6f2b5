import ClientTestSupport
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryDriverTests {
    private let outcome = Result<HttpResponse, NetworkError>.failure(.connectionLost("lost"))

    private func driver(retries: Double, of client: ClientState = ClientState()) -> RetryDriver {
        var configuration = HttpClientConfiguration()
        configuration.retryBudget = RetryBudget(retries: retries, perSuccess: 0, perSecond: 0)
        return RetryDriver(configuration, of: client)
    }

    private func event(delay: Duration) -> RetryEvent {
        RetryEvent(request: makeRequest(), outcome: outcome, attempt: 1, delay: delay)
    }

    @Test func `Each retry takes a token from the budget`() {
        let driver = driver(retries: 1)
        #expect(driver.plan(after: outcome) { _ in .wait(.zero) } == .wait(.zero))
        #expect(driver.plan(after: outcome) { _ in .wait(.zero) } == .giveUp(.budget))
    }

    @Test func `Giving up and resuming after progress take no token from the budget`() {
        let driver = driver(retries: 1)
        #expect(driver.plan(after: outcome) { _ in .giveUp(.attempts) } == .giveUp(.attempts))
        #expect(driver.plan(after: outcome, isResumption: true) { _ in .wait(.zero) } == .wait(.zero))
        #expect(driver.plan(after: outcome) { _ in .wait(.zero) } == .wait(.zero))
    }

    @Test func `Closing the client ends a wait`() async throws {
        let client = ClientState()
        let driver = driver(retries: 1, of: client)
        let event = event(delay: .seconds(3_600))
        let wait = Task { () async -> NetworkError? in
            do throws(NetworkError) {
                try await driver.wait(event)
                return nil
            } catch {
                return error
            }
        }
        client.close()
        let error = try await withDeadline(.patience, "the wait of a closed client") { await wait.value }
        guard case .clientClosed = error else {
            Issue.record("not closed: \(String(describing: error))")
            return
        }
    }

    @Test func `The onRetry hooks are called before a wait`() async throws {
        let journal = Journal()
        var configuration = HttpClientConfiguration()
        configuration.onRetry { event in journal.add("attempt \(event.attempt)") }
        try await RetryDriver(configuration, of: ClientState()).wait(event(delay: .zero))
        #expect(journal.entries == ["attempt 1"])
    }
}
