import Sallyport
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct SharedFetchTests {
    @Test func `A cancelled waiter stops waiting, and the shared fetch continues`() async throws {
        let shared = SharedFetch<Int>()
        let started = Signal()
        let mayEnd = Signal()
        async let first = shared.value {
            started.fire()
            try await mayEnd.wait()
            return 1
        }
        try await started.wait()
        let waiter = Task { try await shared.value { 2 } }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        mayEnd.fire()
        #expect(try await first == 1)
        #expect(try await shared.value { 3 } == 3)
    }

    @Test func `If the fetching task is cancelled, a waiting task fetches instead`() async throws {
        let shared = SharedFetch<Int>()
        let started = Signal()
        let fetching = Task {
            try await shared.value {
                started.fire()
                try await Task.sleep(for: .seconds(60))
                return 1
            }
        }
        try await started.wait()
        async let second = shared.value { 2 }
        async let third = shared.value { 2 }
        #expect(try await eventually { shared.waiterCount == 2 ? true : nil } == true)
        fetching.cancel()
        await #expect(throws: CancellationError.self) { try await fetching.value }
        #expect(try await second + third == 4)
    }

    @Test func `All waiters get the error of the fetching task`() async throws {
        struct Failure: Error { var fetch: Int }
        let shared = SharedFetch<Int>()
        let begun = Watched(0)
        let fetches = Watched(0)
        let errors = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    begun.update { $0 += 1 }
                    do {
                        _ = try await shared.value {
                            let fetch = fetches.update { count in
                                count += 1
                                return count
                            }
                            // A task that is preempted just before it waits may fetch again.
                            if fetch == 1 { try await begun.wait("the other tasks") { $0 == 50 } }
                            throw Failure(fetch: fetch)
                        }
                        return nil
                    } catch { return (error as? Failure)?.fetch }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count { $0 == 1 } > 1)
        #expect(Set(errors) == Set(1...fetches.value))
    }
}
