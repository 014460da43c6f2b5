import Sallyport
import SallyportStorage
import SallyportTransport

/// The bytes of an upload's body that the transport has taken.
final class SentBytes: Sendable {
    private struct State {
        /// The position of the current attempt.
        var position: Int64 = 0
        /// The furthest position of any attempt.
        var furthest: Int64 = 0
        /// The end of the bytes that any attempt has offered to the transport.
        var offered: Int64 = 0
        var isComplete = false
        var hasBegun = false
        var total: Int64?
    }

    private let state = Locked(State())
    private let control: TransferControl
    private let onLastByte: Locked<(@Sendable () -> Void)?> = Locked(nil)

    init(reportingTo control: TransferControl) {
        self.control = control
    }

    /// The position of the current attempt.
    var position: Int64 { state.withLock { $0.position } }

    /// The end of the bytes that any attempt has offered to the transport. The server can have received all of them.
    var offered: Int64 { state.withLock { $0.offered } }

    /// A Boolean value that indicates whether the server can have received the complete body.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Sets the length of the body; `nil` if it is not known in advance.
    func expect(_ length: Int64?) {
        state.withLock { $0.total = length }
        report()
    }

    /// Sets a closure to call before the last bytes are sent.
    func beforeLastByte(_ action: @escaping @Sendable () -> Void) {
        onLastByte.withLock { $0 = action }
    }

    /// Sets the bytes that an earlier process may have sent.
    func resume(offered: Int64, isComplete: Bool) {
        state.withLock { state in
            state.offered = offered
            state.isComplete = isComplete
        }
    }

    /// Starts an attempt at an offset. The first attempt continues the upload of an earlier process if the offset is not 0.
    func begin(at offset: Int64) {
        let (isResumption, total) = state.withLock { state in
            state.position = offset
            state.furthest = max(state.furthest, offset)
            defer { state.hasBegun = true }
            return (!state.hasBegun && offset > 0, state.total)
        }
        if isResumption {
            control.start(completed: offset, total: total, isResumption: true)
        } else {
            report()
        }
    }

    /// Records bytes that are about to be sent.
    ///
    /// - Parameter isLast: If `true`, these bytes end the body.
    func offer(_ count: Int, isLast: Bool) {
        let isNew = state.withLock { state in
            state.offered = max(state.offered, state.position + Int64(count))
            defer { state.isComplete = state.isComplete || isLast }
            return isLast && !state.isComplete
        }
        if isNew { onLastByte.withLock { $0 }?() }
    }

    /// Records bytes that the transport has taken.
    func add(_ count: Int) {
        state.withLock { state in
            state.position += Int64(count)
            state.furthest = max(state.furthest, state.position)
        }
        report()
    }

    /// Discards everything but the length, as the upload starts over.
    func reset() {
        state.withLock { $0 = State(total: $0.total) }
        report()
    }

    /// Reports the progress. It does not decrease if bytes were lost; it stays the same until they have been sent
    /// again.
    private func report() {
        let (completed, total) = state.withLock { ($0.furthest, $0.total) }
        control.update(completed: completed, total: total)
    }
}
