import SallyportTransport

/// How much of an upload's body the transport has taken.
final class UploadTally: Sendable {
    private struct State {
        /// How far the present attempt has come.
        var position: Int64 = 0
        /// How far any attempt has come.
        var furthest: Int64 = 0
        var isWhole = false
    }

    private let state = Locked(State())
    private let control: TransferControl
    private let total: Locked<Int64?> = Locked(nil)

    init(reportingTo control: TransferControl) {
        self.control = control
    }

    /// The end of what the server can have: no attempt has sent more.
    var furthest: Int64 { state.withLock { $0.furthest } }

    /// Whether an attempt has sent the last byte.
    var isWhole: Bool { state.withLock { $0.isWhole } }

    /// Takes note of the length, where it is known beforehand.
    func expect(_ length: Int64?) {
        total.withLock { $0 = length }
        control.note(completed: 0, total: length)
    }

    /// Begins to send from a byte on.
    func begin(at offset: Int64) {
        state.withLock { $0.position = offset }
        report()
    }

    func add(_ count: Int) {
        state.withLock { state in
            state.position += Int64(count)
            state.furthest = max(state.furthest, state.position)
        }
        report()
    }

    func end() {
        state.withLock { $0.isWhole = true }
    }

    /// Forgets it all: the upload starts over.
    func reset() {
        state.withLock { $0 = State() }
        report()
    }

    /// Bytes that were lost on the way do not set the progress back: it stands until they have been sent again.
    private func report() {
        control.note(completed: furthest, total: total.withLock { $0 })
    }
}
