import Foundation
import Testing

/// Limits the number of test cases that run at a time, in all suites together.
///
/// Swift Testing starts every test of the package at once. On two cores, thousands of tests then compete for two threads,
/// and a call of one test exceeds its time limit before it gets to run. So every suite carries ``Trait/concurrencyLimited``, or
/// ``Trait/busy`` if its tests use a whole core for seconds; `.ci/check` checks it.
public struct ConcurrencyLimit: TestTrait, SuiteTrait, TestScoping {
    #if THREAD_SANITIZER || ADDRESS_SANITIZER
    private static let running = AsyncSemaphore(2)
    #else
    private static let running = AsyncSemaphore(12)
    #endif
    /// `SALLYPORT_BUSY_TESTS` is the number of busy tests that run at a time, for runs of nothing else.
    private static let busy = AsyncSemaphore(
        ProcessInfo.processInfo.environment["SALLYPORT_BUSY_TESTS"].flatMap { Int($0) } ?? 1
    )
    @TaskLocal private static var isWithinLimit = false

    fileprivate let isBusy: Bool

    /// Applies the limit to every test of a suite, and not to the suite itself.
    public var isRecursive: Bool { true }

    /// Runs a test case when the limit allows it.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // A nested suite has the trait too: its tests must not wait for a second permit while they hold one.
        if Self.isWithinLimit { return try await function() }
        guard isBusy else { return try await Self.runWithinLimit(function) }
        // The permit of busy tests is acquired first, so that tests that wait for it do not block others.
        try await Self.busy.withPermit { try await Self.runWithinLimit(function) }
    }

    private static func runWithinLimit(_ function: @Sendable () async throws -> Void) async throws {
        try await running.withPermit {
            try await $isWithinLimit.withValue(true) { try await function() }
        }
    }
}

extension Trait where Self == ConcurrencyLimit {
    /// Runs a test case when few others are running.
    public static var concurrencyLimited: ConcurrencyLimit { ConcurrencyLimit(isBusy: false) }

    /// Runs a test case, which uses a whole core for seconds, when no other such test case is running.
    public static var busy: ConcurrencyLimit { ConcurrencyLimit(isBusy: true) }
}

/// A counting semaphore whose waiters suspend, in the order in which they arrived, instead of blocking a thread.
public actor AsyncSemaphore {
    private var available: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a semaphore.
    ///
    /// - Parameter count: The number of closures that may run at a time.
    public init(_ count: Int) {
        available = count
    }

    /// Runs a closure as soon as fewer than the maximum number of others are running.
    public nonisolated func withPermit<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        await acquire()
        do {
            let result = try await work()
            await release()
            return result
        } catch {
            await release()
            throw error
        }
    }

    private func acquire() async {
        if available > 0 {
            available -= 1
        } else {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func release() {
        if waiters.isEmpty { available += 1 } else { waiters.removeFirst().resume() }
    }
}
