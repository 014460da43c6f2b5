import Dispatch
import Foundation
import SallyportStorage

/// Runs the operations on a cache's directory off the cooperative thread pool, and limits the wait for each of them.
///
/// A disk that does not respond, such as the disk of a file server, is an error of the storage, so that calls continue without the cache.
/// When the wait for an operation has ended, the operation continues on its own thread. While too many such operations are running, others
/// fail at once.
final class CacheDisk: Sendable {
    private struct State: Sendable {
        /// The operations that tasks wait for: the end of each wait, and a closure that ends it.
        var waits: [UUID: (end: ContinuousClock.Instant, giveUp: @Sendable () -> Void)] = [:]
        /// The number of operations that are still running after the wait for them has ended.
        var late = 0
        var isCheckScheduled = false
    }

    /// The time at which the current call must end; `nil` if that is not limited.
    @TaskLocal static var callEnd: ContinuousClock.Instant?

    /// The maximum number of operations that may still run after the wait for them has ended. Each uses a thread.
    private static let maximumLate = 8

    /// The interval at which the waits are checked while there are any. A timer for each would take longer than most operations.
    private static let checkInterval = DispatchTimeInterval.milliseconds(100)

    private let limit: Duration
    private let state = Locked(State())
    private let checks = DispatchQueue(label: "sallyport.cache.limits")

    /// - Parameter limit: The maximum time to wait for an operation.
    init(limit: Duration = .seconds(5)) {
        self.limit = limit
    }

    /// Runs an operation, and waits for it until the limit or the end of the call. An operation is also run after that end, because other
    /// processes depend on removals.
    ///
    /// - Throws: The error of the operation, or ``HttpCacheStorageError/unavailable(_:)``.
    func run<Value: Sendable>(
        _ operation: @escaping @Sendable () throws(HttpCacheStorageError) -> Value
    ) async throws(HttpCacheStorageError) -> Value {
        let now = ContinuousClock.now
        let end = Self.callEnd.map { min($0, now + limit) } ?? now + limit
        guard state.withLock({ $0.late < Self.maximumLate }) else { throw Self.late }
        let number = UUID()
        let result: Result<Value, HttpCacheStorageError> = await withCheckedContinuation { continuation in
            addWait(number, until: end) { continuation.resume(returning: .failure(Self.late)) }
            startBlocking {
                let result = Result { () throws(HttpCacheStorageError) in try operation() }
                if self.endWait(number) { continuation.resume(returning: result) }
            }
        }
        return try result.get()
    }

    private static let late = HttpCacheStorageError.unavailable("the disk did not respond in time")

    private func addWait(
        _ number: UUID,
        until end: ContinuousClock.Instant,
        orElse giveUp: @escaping @Sendable () -> Void
    ) {
        let isFirst = state.withLock { state in
            state.waits[number] = (end, giveUp)
            defer { state.isCheckScheduled = true }
            return !state.isCheckScheduled
        }
        if isFirst { scheduleCheck() }
    }

    /// Records the end of an operation.
    ///
    /// - Returns: `false` if the wait for it has ended before.
    private func endWait(_ number: UUID) -> Bool {
        state.withLock { state in
            if state.waits.removeValue(forKey: number) != nil { return true }
            state.late -= 1
            return false
        }
    }

    /// Ends the waits that have reached their end, and repeats this as long as there are others.
    private func scheduleCheck() {
        checks.asyncAfter(deadline: .now() + Self.checkInterval) { [self] in
            let (ended, isMore) = state.withLock { state in
                let now = ContinuousClock.now
                let ended = state.waits.filter { $0.value.end <= now }
                for number in ended.keys { state.waits[number] = nil }
                state.late += ended.count
                state.isCheckScheduled = !state.waits.isEmpty
                return (ended.values.map(\.giveUp), state.isCheckScheduled)
            }
            for giveUp in ended { giveUp() }
            if isMore { scheduleCheck() }
        }
    }
}
