import SallyportTransport

/// How far an exchange has got, and by when it must get further.
struct ExchangeProgress: Sendable {
    /// A point in time at which an exchange fails, and how.
    struct Limit: Sendable {
        var deadline: ContinuousClock.Instant
        var error: NetworkError
    }

    private let timeouts: Timeouts
    let started: ContinuousClock.Instant
    private(set) var phase = ExchangePhase.send
    private var lastProgress: ContinuousClock.Instant?
    private var requestSent: ContinuousClock.Instant?
    var bytesToSend: Int64 = 0
    private(set) var firstByte: ContinuousClock.Instant?

    init(timeouts: Timeouts, started: ContinuousClock.Instant) {
        self.timeouts = timeouts
        self.started = started
    }

    /// The request begins to leave; one without a body has left.
    mutating func requestLeaves() {
        lastProgress = .now
        if bytesToSend == 0 { requestLeft() }
    }

    mutating func sent(_ total: Int64) {
        lastProgress = .now
        if total >= bytesToSend, phase == .send { requestLeft() }
    }

    private mutating func requestLeft() {
        phase = .head
        requestSent = .now
    }

    mutating func received() {
        lastProgress = .now
    }

    mutating func headCame() {
        phase = .body
        firstByte = .now
        lastProgress = .now
    }

    /// The next of the limits to be reached; `nil` if there are none.
    var nextLimit: Limit? {
        let candidates = [
            limit(timeouts.total, since: started, "the whole exchange"),
            limit(timeouts.idle, since: lastProgress, "silence"),
            phase == .head ? limit(timeouts.head, since: requestSent, "the response's head") : nil,
        ]
        return candidates.compactMap(\.self).min { $0.deadline < $1.deadline }
    }

    private func limit(_ duration: Duration?, since start: ContinuousClock.Instant?, _ what: String) -> Limit? {
        guard let duration, let start else { return nil }
        let failure = NetworkFailure(
            "the time for \(what), \(duration), is over",
            phase: phase,
            advice: "try again, or allow more time"
        )
        return Limit(deadline: start + min(duration, .sallyportForever), error: .timeout(failure))
    }
}
