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
    func `The exponential delay is uniformly random between zero and a bound that doubles up to the cap`(
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

    @Test func `The same random number generator state gives the same delay`() {
        let policy = RetryPolicy.exponential()
        #expect(plan(policy, seed: 7) == plan(policy, seed: 7))
        #expect(plan(policy, seed: 7) != plan(policy, seed: 8))
    }

    @Test func `A constant delay is the same after each attempt`() {
        let policy = RetryPolicy.constant(attempts: 9, delay: .seconds(2))
        #expect((1...8).allSatisfy { plan(policy, after: $0) == .wait(.seconds(2)) })
    }

    @Test func `Extreme backoff parameters neither trap nor exceed the cap`() {
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

    @Test func `The plan gives up after the last attempt`() {
        let policy = RetryPolicy.exponential(attempts: 3)
        #expect(plan(policy, after: 2) != .giveUp(.attempts))
        #expect(plan(policy, after: 3) == .giveUp(.attempts))
        #expect(plan(.never) == .giveUp(.attempts))
    }

    @Test func `Retry-After replaces the backoff delay`() {
        let policy = RetryPolicy.exponential(base: .milliseconds(1), cap: .milliseconds(1))
        #expect(plan(policy, retryAfter: .seconds(42)) == .wait(.seconds(42)))
        #expect(plan(policy, retryAfter: .seconds(60)) == .wait(.seconds(60)))
    }

    @Test func `A Retry-After above the maximum gives up`() {
        #expect(plan(.exponential(), retryAfter: .seconds(61)) == .giveUp(.retryAfter))
    }

    @Test func `A Retry-After of zero is replaced by the backoff delay`() {
        #expect(plan(.constant(delay: .seconds(3)), retryAfter: .zero) == .wait(.seconds(3)))
    }

    @Test func `The plan gives up if the delay would not end before the call's timeout`() {
        let policy = RetryPolicy.constant(delay: .seconds(3))
        #expect(plan(policy, left: .seconds(3.1)) == .wait(.seconds(3)))
        #expect(plan(policy, left: .seconds(3)) == .giveUp(.time))
        #expect(plan(policy, left: .seconds(-1)) == .giveUp(.time))
        #expect(plan(policy, retryAfter: .seconds(10), left: .seconds(5)) == .giveUp(.time))
        #expect(plan(.constant(delay: .zero), left: .zero) == .giveUp(.time))
    }
}
