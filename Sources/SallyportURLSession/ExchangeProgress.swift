import SallyportTransport

/// The phase of an exchange and its deadlines.
struct ExchangeProgress: Sendable {
    /// A deadline, and the failure when it has passed.
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

    /// Notes that sending the request begins. A request without a body is sent immediately.
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

    /// The earliest limit; `nil` if there are none.
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
