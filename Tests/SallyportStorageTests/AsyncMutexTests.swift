import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct AsyncMutexTests {
    @Test func `Tasks hold the lock one after the other, also while they are suspended`() async throws {
        let mutex = AsyncMutex()
        let holders = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await mutex.withLock {
                        holders.update { $0 += 1 }
                        #expect(holders.value == 1)
                        await Task.yield()
                        holders.update { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `A task that is cancelled while it waits does not acquire the lock`() async throws {
        let mutex = AsyncMutex()
        let (held, proceed, waiting) = (Signal(), Signal(), Signal())
        let holder = Task {
            try await mutex.withLock {
                held.fire()
                try await proceed.wait()
            }
        }
        try await held.wait()
        let waiter = Task {
            waiting.fire()
            try await mutex.withLock { Issue.record("the lock was acquired") }
        }
        try await waiting.wait()
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        proceed.fire()
        try await holder.value
        #expect(try await mutex.withLock { "free" } == "free")
    }
}
