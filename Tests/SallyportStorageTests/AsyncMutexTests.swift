import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct AsyncMutexTests {
    private struct Timeout: Error {}

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

    @Test func `No more tasks than the maximum hold the lock at the same time`() async throws {
        let mutex = AsyncMutex(holders: 2)
        let (both, proceed) = (Watched(0), Signal())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await mutex.withLock {
                        both.update { $0 += 1 }
                        try await proceed.wait()
                    }
                }
            }
            try await both.wait("both holders") { $0 == 2 }
            await #expect(throws: Timeout.self) {
                try await mutex.withLock(within: .milliseconds(10), orThrow: Timeout()) {}
            }
            proceed.fire()
            try await group.waitForAll()
        }
        #expect(try await mutex.withLock(within: .patience, orThrow: Timeout()) { "free" } == "free")
    }

    @Test func `A cancelled task can acquire the lock if it ignores the cancellation`() async throws {
        let mutex = AsyncMutex()
        let (held, proceed) = (Signal(), Signal())
        let holder = Task {
            try await mutex.withLock {
                held.fire()
                try await proceed.wait()
            }
        }
        try await held.wait()
        let waiter = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await mutex.withLockIgnoringCancellation { "acquired" }
        }
        proceed.fire()
        #expect(await waiter.value == "acquired")
        try await holder.value
    }
}
