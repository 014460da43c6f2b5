import Sallyport
import SallyportStorage
import SallyportTransport

/// The transfers that a queue is performing.
final class ActiveTransfers: Sendable {
    private struct State {
        var progress: [String: QueueProgress] = [:]
        var stops: [String: AsyncStream<Void>.Continuation] = [:]
        var failure: TransferError?
    }

    private let state = Locked(State())

    /// The keys of the transfers.
    var keys: Set<String> { state.withLock { Set($0.progress.keys) } }

    /// The progress of each transfer, by its key.
    var progress: [String: QueueProgress] { state.withLock { $0.progress } }

    /// The error that ends the run; `nil` if there is none.
    var failure: TransferError? { state.withLock { $0.failure } }

    /// - Returns: A stream that ends when the transfer is to stop.
    func begin(_ key: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            state.progress[key] = QueueProgress()
            state.stops[key] = continuation
        }
        return stream
    }

    func note(_ progress: TransferProgress, of key: String) {
        state.withLock { state in
            guard state.progress[key] != nil else { return }
            state.progress[key] = QueueProgress(
                completed: progress.completedBytes,
                total: progress.totalBytes,
                rate: progress.bytesPerSecond,
                startedOver: progress.startedOver
            )
        }
    }

    func stop(_ key: String) {
        state.withLock { $0.stops.removeValue(forKey: key) }?.finish()
    }

    func end(_ key: String) {
        let stop = state.withLock { state in
            state.progress[key] = nil
            return state.stops.removeValue(forKey: key)
        }
        stop?.finish()
    }

    func fail(_ error: TransferError) {
        state.withLock { $0.failure = $0.failure ?? error }
    }
}
