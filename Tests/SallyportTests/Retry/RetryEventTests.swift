import ClientTestSupport
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryEventTests {
    @Test func `The onRetry hook receives the request, attempt, outcome and delay before each wait`() async throws {
        let time = ManualTime()
        let journal = Journal()
        let (client, _) = makeClient(sequence(.status(503), .fail(.connectionLost("lost")), .status(200))) { config in
            config.retry = .constant(attempts: 3, delay: .seconds(2))
            config.retryTime = time.retryTime
            config.onRetry { notice in
                let code = (try? notice.outcome.get())?.status.code
                journal.add("\(notice.request) \(notice.attempt) \(code ?? 0) \(notice.delay / .seconds(1))")
            }
        }
        _ = try await client.request(request: makeRequest())
        let line = "GET https://api.example.com/"
        #expect(journal.entries == ["\(line) 1 503 2.0", "\(line) 2 0 2.0"])
    }

    @Test func `No attempt begins after the policy's longestTime, even without a call timeout`() async throws {
        let time = ManualTime()
        let (client, server) = makeClient(.status(503)) { config in
            var policy = RetryPolicy.constant(attempts: 9, delay: .seconds(4))
            policy.longestTime = .seconds(10)
            config.retry = policy
            config.timeout = .infinity
            config.retryTime = time.retryTime
        }
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.count == 3)
    }
}
