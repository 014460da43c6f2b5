import SallyportTransport

/// How much of an upload's body the transport has taken.
final class SentBytes: Sendable {
    private struct State {
        /// How far the present attempt has come.
        var position: Int64 = 0
        /// How far any attempt has come.
        var furthest: Int64 = 0
        /// The end of what any attempt has offered to the transport, which may have sent a part of the last chunk.
        var offered: Int64 = 0
        var isComplete = false
        var total: Int64?
    }

    private let state = Locked(State())
    private let control: TransferControl
    private let onLastByte: Locked<(@Sendable () -> Void)?> = Locked(nil)

    init(reportingTo control: TransferControl) {
        self.control = control
    }

    /// Where the present attempt is.
    var position: Int64 { state.withLock { $0.position } }

    /// The end of what a server can have.
    var furthest: Int64 { state.withLock { $0.offered } }

    /// Whether a server can have it all.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Takes note of the length, where it is known beforehand.
    func expect(_ length: Int64?) {
        state.withLock { $0.total = length }
        report()
    }

    /// Calls a closure before the last bytes leave.
    func beforeLastByte(_ action: @escaping @Sendable () -> Void) {
        onLastByte.withLock { $0 = action }
    }

    /// Takes note of what an earlier process has sent at most.
    func resume(furthest: Int64, isComplete: Bool) {
        state.withLock { state in
            state.offered = furthest
            state.isComplete = isComplete
        }
    }

    /// Begins to send from a byte on.
    func begin(at offset: Int64) {
        state.withLock { state in
            state.position = offset
            state.furthest = max(state.furthest, offset)
        }
        report()
    }

    /// Takes note of bytes that are about to leave.
    ///
    /// - Parameter isLast: Whether they end the body.
    func offer(_ count: Int, isLast: Bool) {
        let isNew = state.withLock { state in
            state.offered = max(state.offered, state.position + Int64(count))
            defer { state.isComplete = state.isComplete || isLast }
            return isLast && !state.isComplete
        }
        if isNew { onLastByte.withLock { $0 }?() }
    }

    /// Takes note of bytes that the transport has taken.
    func add(_ count: Int) {
        state.withLock { state in
            state.position += Int64(count)
            state.furthest = max(state.furthest, state.position)
        }
        report()
    }

    /// Forgets it all: the upload starts over.
    func reset() {
        state.withLock { $0 = State(total: $0.total) }
        report()
    }

    /// Bytes that were lost on the way do not set the progress back: it stands until they have been sent again.
    private func report() {
        let (completed, total) = state.withLock { ($0.furthest, $0.total) }
        control.note(completed: completed, total: total)
    }
}
