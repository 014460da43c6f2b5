import SallyportTransport

/// Whether a transfer is paused, for those who wait for it to change.
final class PauseSwitch: Sendable {
    private struct State {
        var isPaused = false
        var readers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var nextReader = 0
    }

    private let state = Locked(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// - Returns: Whether that changed it.
    func set(_ isPaused: Bool) -> Bool {
        state.withLock { state in
            guard state.isPaused != isPaused else { return false }
            state.isPaused = isPaused
            // Under the lock, so that the newest is the last that each reader sees.
            for reader in state.readers.values { reader.yield(isPaused) }
            return true
        }
    }

    /// Waits until it is in a position, or the task is cancelled.
    func wait(until isPaused: Bool) async {
        for await position in positions() where position == isPaused { return }
    }

    /// The position now, and each one after it; a slow reader misses some, never the last.
    private func positions() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let reader = state.withLock { state in
            continuation.yield(state.isPaused)
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: reader) }
        }
        return stream
    }
}
