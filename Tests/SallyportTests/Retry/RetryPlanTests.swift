import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryPlanTests {
    private func plan(
        _ policy: RetryPolicy,
        after attempt: Int = 1,
        retryAfter: Duration? = nil,
        left: Duration? = nil,
        seed: UInt64 = 1
    ) -> RetryPlan {
        var generator = SeededGenerator(seed: seed)
        return policy.plan(afterAttempt: attempt, retryAfter: retryAfter, left: left, using: &generator)
    }

    private func waits(_ policy: RetryPolicy, after attempt: Int) -> [Duration] {
        (0..<1_000).compactMap { (seed: UInt64) -> Duration? in
            guard case .wait(let delay) = plan(policy, after: attempt, seed: seed) else { return nil }
            return delay
        }
    }

    @Test(arguments: [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (60, 5.0)])
    func `The wait is a random part, anything from nothing, of a time that doubles up to a cap`(
        attempt: Int,
        longest: Double
    ) {
        let waits = waits(.exponential(attempts: 100, base: .seconds(1), cap: .seconds(5)), after: attempt)
        #expect(waits.count == 1_000)
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(longest) })
        #expect((waits.min() ?? .zero) < .seconds(longest / 50))
        #expect((waits.max() ?? .zero) > .seconds(longest * 49 / 50))
        let mean = waits.reduce(.zero, +) / 1_000 / .seconds(1)
        #expect(abs(mean / longest - 0.5) < 0.05)
    }

    @Test func `The same chance gives the same wait`() {
        let policy = RetryPolicy.exponential()
        #expect(plan(policy, seed: 7) == plan(policy, seed: 7))
        #expect(plan(policy, seed: 7) != plan(policy, seed: 8))
    }

    @Test func `A constant wait stays the same`() {
        let policy = RetryPolicy.constant(attempts: 9, delay: .seconds(2))
        #expect((1...8).allSatisfy { plan(policy, after: $0) == .wait(.seconds(2)) })
    }

    @Test func `Odd numbers in a backoff neither trap nor wait for long`() {
        var generator = SeededGenerator(seed: 1)
        let odd = [
            RetryBackoff(base: .zero, factor: .infinity, cap: .seconds(1)),
            RetryBackoff(base: .seconds(-5), cap: .seconds(-1)),
            RetryBackoff(base: .seconds(1), factor: .nan, cap: .seconds(1)),
            RetryBackoff(base: .seconds(1), factor: -3, cap: .seconds(1)),
        ]
        for backoff in odd {
            for attempt in [-1, 0, 1, 2, 5_000, .max] {
                let delay = backoff.delay(afterAttempt: attempt, using: &generator)
                #expect(delay >= .zero && delay <= .seconds(1))
            }
        }
    }

    @Test func `After the last attempt there is no wait`() {
        let policy = RetryPolicy.exponential(attempts: 3)
        #expect(plan(policy, after: 2) != .giveUp(.attempts))
        #expect(plan(policy, after: 3) == .giveUp(.attempts))
        #expect(plan(.never) == .giveUp(.attempts))
    }

    @Test func `What the server asks for is waited for in full, in place of the backoff`() {
        let policy = RetryPolicy.exponential(base: .milliseconds(1), cap: .milliseconds(1))
        #expect(plan(policy, retryAfter: .seconds(42)) == .wait(.seconds(42)))
        #expect(plan(policy, retryAfter: .seconds(60)) == .wait(.seconds(60)))
    }

    @Test func `A server that asks for too much is taken at its word`() {
        #expect(plan(.exponential(), retryAfter: .seconds(61)) == .giveUp(.retryAfter))
    }

    @Test func `A server that asks for no wait is not hammered`() {
        #expect(plan(.constant(delay: .seconds(3)), retryAfter: .zero) == .wait(.seconds(3)))
    }

    @Test func `A wait that would last to the end of the call's time or beyond is not begun`() {
        let policy = RetryPolicy.constant(delay: .seconds(3))
        #expect(plan(policy, left: .seconds(3.1)) == .wait(.seconds(3)))
        #expect(plan(policy, left: .seconds(3)) == .giveUp(.time))
        #expect(plan(policy, left: .seconds(-1)) == .giveUp(.time))
        #expect(plan(policy, retryAfter: .seconds(10), left: .seconds(5)) == .giveUp(.time))
        #expect(plan(.constant(delay: .zero), left: .zero) == .giveUp(.time))
    }
}
