import SallyportStorage
import SallyportTransport

/// A counter of events that tasks can wait for.
final class EventCount: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    /// Counts an event, and resumes the waiting tasks.
    func signal() {
        let waiters = state.withLock { state in
            state.count += 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Waits until more than `count` events have been counted, the deadline has passed, or the task is cancelled.
    func wait(after count: Int, until deadline: ContinuousClock.Instant?) async {
        guard let deadline else { return await wait(after: count) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: count) }
            group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(after count: Int) async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count > count || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
