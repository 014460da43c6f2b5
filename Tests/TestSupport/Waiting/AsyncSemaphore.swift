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
