/// What to do after an attempt that is worth another one.
enum RetryPlan: Sendable, Equatable {
    /// Wait that long, and send the request again.
    case wait(Duration)

    /// Give the outcome to the caller.
    case giveUp(GiveUp)

    /// Why no further attempt is made.
    enum GiveUp: Sendable, Equatable {
        /// All attempts have been made.
        case attempts
        /// The wait would last until the end of the call's time, or beyond.
        case time
        /// The server asks for a longer wait than the policy allows.
        case retryAfter
        /// The client has retried so much that it has to stop for a while.
        case budget
        /// The body has been sent, and can be sent only once.
        case body
    }
}

extension RetryPolicy {
    /// The timing of all retries: what follows from an attempt, what the server asks for, and the time that is left.
    ///
    /// - Parameters:
    ///   - attempt: Which attempt has ended; the first is 1.
    ///   - retryAfter: What the server asks for, which takes the place of the backoff; zero is no answer to that.
    ///   - left: What is left of the call's time; `nil` for no limit.
    ///   - generator: Where the chance comes from.
    func plan(
        afterAttempt attempt: Int,
        retryAfter: Duration?,
        left: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> RetryPlan {
        if attempt >= attempts { return .giveUp(.attempts) }
        if let retryAfter, retryAfter > longestRetryAfter { return .giveUp(.retryAfter) }
        let asked = retryAfter.flatMap { $0 > .zero ? $0 : nil }
        let delay = asked ?? backoff.delay(afterAttempt: attempt, using: &generator)
        if let left, delay >= left { return .giveUp(.time) }
        return .wait(delay)
    }

    /// The same, by the system's chance.
    func plan(afterAttempt attempt: Int, retryAfter: Duration?, left: Duration?) -> RetryPlan {
        var generator = RetryBackoff.systemGenerator
        return plan(afterAttempt: attempt, retryAfter: retryAfter, left: left, using: &generator)
    }
}

extension RetryPlan.GiveUp {
    /// What an error says of the attempts, after its reason.
    func note(attempt: Int, of attempts: Int) -> String {
        switch self {
        case .attempts: attempts > 1 ? ", in the last of \(attempts) attempts" : ""
        case .time: ", in attempt \(attempt) of \(attempts), with too little time left for another"
        case .retryAfter: ", in attempt \(attempt) of \(attempts)"
        case .budget: ", in attempt \(attempt) of \(attempts); the client has used up its budget of retries"
        case .body: ", in attempt \(attempt) of \(attempts); its body can be sent only once"
        }
    }
}
