import Sallyport
import SallyportTransfers
import SallyportStorage
import SallyportTransport

/// The calls of a service that are in progress. It owns their tasks.
final class ServiceCalls: Sendable {
    private struct State: Sendable {
        var cancellations: [Int: @Sendable () -> Void] = [:]
        var next = 0
        var cancelCount = 0
    }

    private let state = Locked(State())

    /// Starts a call in a new task.
    func start<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        state.withLock { state in
            let number = state.next
            state.next += 1
            let task = Task {
                let value = await work()
                remove(number)
                return value
            }
            state.cancellations[number] = { task.cancel() }
            return task
        }
    }

    /// Runs a call in the caller's task, whose cancellation cancels the call.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = start(work)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// The number of times that all calls were cancelled.
    var cancelCount: Int { state.withLock { $0.cancelCount } }

    /// Checks at the start of a call's task that the call has not been cancelled before.
    ///
    /// - Parameter count: The ``cancelCount`` when the call was made.
    func checkNotCancelled(since count: Int) throws(NetworkServiceError) {
        if cancelCount != count { throw .wrapping(.cancelled("the call was cancelled before it began")) }
    }

    func cancelAll() {
        let cancellations = state.withLock { state in
            state.cancelCount += 1
            return Array(state.cancellations.values)
        }
        for cancel in cancellations { cancel() }
    }

    private func remove(_ number: Int) {
        state.withLock { _ = $0.cancellations.removeValue(forKey: number) }
    }
}
