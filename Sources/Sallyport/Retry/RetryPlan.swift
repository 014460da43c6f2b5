import Foundation
import SallyportTransport

/// The decision after an attempt that the policy covers.
package enum RetryPlan: Sendable, Equatable {
    /// Send the request again after a wait.
    case wait(Duration)

    /// Return the outcome to the caller.
    case giveUp(GiveUp)

    /// The reasons to make no further attempt.
    package enum GiveUp: Sendable, Equatable {
        /// All attempts have been made.
        case attempts
        /// The wait would exceed the time that is left.
        case time
        /// The server asks for a longer wait than the policy allows.
        case retryAfter
        /// The client's retry budget is used up.
        case budget
        /// The body was sent and cannot be sent again.
        case body
    }
}

extension RetryPolicy {
    /// Returns the decision that follows from the number of attempts, the server's `Retry-After` and the time that is left.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that has ended. The first is 1.
    ///   - retryAfter: The wait that the server asks for, which replaces the backoff unless it is zero.
    ///   - left: The remaining time; `nil` for no limit.
    ///   - generator: The random number generator used for jitter.
    func plan(
        afterAttempt attempt: Int,
        retryAfter: Duration?,
        left: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> RetryPlan {
        if attempt >= attempts { return .giveUp(.attempts) }
        if let retryAfter, retryAfter > longestRetryAfter { return .giveUp(.retryAfter) }
        let requested = retryAfter.flatMap { $0 > .zero ? $0 : nil }
        let delay = requested ?? backoff.delay(afterAttempt: attempt, using: &generator)
        if let left, delay >= left { return .giveUp(.time) }
        return .wait(delay)
    }

    /// Returns the decision that follows from the same values, using the system's random number generator for jitter.
    package func plan(afterAttempt attempt: Int, retryAfter: Duration?, left: Duration?) -> RetryPlan {
        var generator = RetryBackoff.systemGenerator
        return plan(afterAttempt: attempt, retryAfter: retryAfter, left: left, using: &generator)
    }
}

extension RetryPlan.GiveUp {
    /// Returns the clause about the attempts that follows an error's reason.
    package func note(attempt: Int, of attempts: Int) -> String {
        switch self {
        case .attempts: attempts > 1 ? ", in the last of \(attempts) attempts" : ""
        case .time: ", in attempt \(attempt) of \(attempts), with too little time left for another"
        case .retryAfter: ", in attempt \(attempt) of \(attempts)"
        case .budget: ", in attempt \(attempt) of \(attempts); the client has used up its budget of retries"
        case .body: ", in attempt \(attempt) of \(attempts); its body can be sent only once"
        }
    }
}

/// The `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
    private static let longest = 1_000_000_000

    /// Returns the wait that a response asks for; `nil` if it has no valid `Retry-After`. The longest of several applies.
    ///
    /// A date is compared with the response's `Date`, as clocks may differ, or with `now` if there is none.
    package static func wait(_ response: HttpResponse, now: Date) -> Duration? {
        let sent = response.headers["Date"]?.first.flatMap { HttpDate.parse($0, now: now) } ?? now
        return response.headers["Retry-After"]?.compactMap { wait($0, sent: sent, now: now) }.max()
    }

    private static func wait(_ value: String, sent: Date, now: Date) -> Duration? {
        let value = value.trimmingCharacters(in: .whitespaces)
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) {
            return .seconds(min(Int(value) ?? longest, longest))
        }
        guard let date = HttpDate.parse(value, now: now) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(sent)), Double(longest)))
    }
}
