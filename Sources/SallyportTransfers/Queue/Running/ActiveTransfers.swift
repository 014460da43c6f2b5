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

    /// The first error that prevents the queue from running; `nil` if there is none.
    var failure: TransferError? { state.withLock { $0.failure } }

    /// Adds a transfer.
    ///
    /// - Returns: A stream that ends when the transfer must stop.
    func add(_ key: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            state.progress[key] = QueueProgress()
            state.stops[key] = continuation
        }
        return stream
    }

    /// Sets the progress of a transfer, unless it has been removed.
    func update(_ progress: TransferProgress, of key: String) {
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

    /// Ends the stream of a transfer.
    func stop(_ key: String) {
        state.withLock { $0.stops.removeValue(forKey: key) }?.finish()
    }

    /// Removes a transfer, and ends its stream.
    func remove(_ key: String) {
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
