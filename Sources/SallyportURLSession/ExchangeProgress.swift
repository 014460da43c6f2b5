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
    /// The length of the request's body in bytes.
    var bytesToSend: Int64 = 0
    private(set) var firstByte: ContinuousClock.Instant?
    /// A Boolean value that indicates whether the session has reported that it sent a part of the request.
    ///
    /// The session may then have repeated the request on another connection, and failed to open it.
    private(set) var hasSentRequest = false

    init(timeouts: Timeouts, started: ContinuousClock.Instant) {
        self.timeouts = timeouts
        self.started = started
    }

    /// Records that sending the request begins. A request without a body is sent immediately.
    mutating func beginSending() {
        lastProgress = .now
        if bytesToSend == 0 { endSending() }
    }

    /// Records the total number of bytes of the body that have been sent.
    mutating func sent(_ total: Int64) {
        lastProgress = .now
        if total > 0 { sentRequest() }
        if total >= bytesToSend, phase == .send { endSending() }
    }

    /// Records that a part of the request has been sent.
    mutating func sentRequest() {
        hasSentRequest = true
    }

    private mutating func endSending() {
        phase = .head
        requestSent = .now
    }

    mutating func received() {
        lastProgress = .now
    }

    mutating func receivedHead() {
        phase = .body
        firstByte = .now
        lastProgress = .now
    }

    /// The limit with the earliest deadline; `nil` if there are none.
    var nextLimit: Limit? {
        let candidates = [
            limit(timeouts.total, since: started, "the complete exchange"),
            limit(timeouts.idle, since: lastProgress, "a pause without progress"),
            phase == .head ? limit(timeouts.head, since: requestSent, "the response's head") : nil,
        ]
        return candidates.compactMap(\.self).min { $0.deadline < $1.deadline }
    }

    private func limit(_ duration: Duration?, since start: ContinuousClock.Instant?, _ subject: String) -> Limit? {
        guard let duration, let start else { return nil }
        let failure = NetworkFailure(
            "the time limit for \(subject), \(Quantity.time(duration)), is over",
            phase: phase,
            advice: "try again, or allow more time"
        )
        return Limit(deadline: start + min(duration, .sallyportForever), error: .timeout(failure))
    }
}
