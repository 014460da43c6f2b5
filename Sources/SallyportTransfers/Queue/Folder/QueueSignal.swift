import Sallyport
import SallyportStorage
import SallyportTransport

/// Notifies waiting tasks in this process of a change.
final class QueueSignal: Sendable {
    private struct State {
        var version = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state = Locked(State())

    /// The number of times that the signal was fired.
    var version: Int { state.withLock { $0.version } }

    func fire() {
        let waiting = state.withLock { state in
            state.version += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits until the signal is fired, unless it has been fired since a version.
    ///
    /// - Parameters:
    ///   - version: The ``version`` that the caller has handled.
    ///   - limit: The maximum time to wait. The wait also ends when the task is cancelled.
    func wait(after version: Int, upTo limit: Duration, _ time: TimeSource) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let number: Int? = state.withLock { state in
            guard state.version == version else { return nil }
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        guard let number else { return }
        await withDiscardingTaskGroup { group in
            group.addTask {
                try? await time.sleep(limit)
                continuation.finish()
            }
            for await _ in stream {}
            group.cancelAll()
        }
        _ = state.withLock { $0.waiting.removeValue(forKey: number) }
    }
}
