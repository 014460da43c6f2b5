import Foundation
import SallyportTransport

extension HttpRequest {
    mutating func checkTimeout() {
        if let timeout, let problem = TimeLimit.problem(with: timeout) { remember(problem) }
    }

    /// The limits of this request: its own, or else those given.
    func timeouts(orElse defaults: Timeouts) -> Timeouts {
        var timeouts = timeouts ?? defaults
        if let timeout { timeouts.total = TimeLimit.duration(timeout) }
        return timeouts
    }
}

/// Limits of time that are given in seconds.
enum TimeLimit {
    /// The limit as a duration; `nil` for one so long that it is none. One below zero, which is refused later, is zero.
    static func duration(_ seconds: TimeInterval) -> Duration? {
        seconds < 1e9 ? .seconds(max(0, seconds)) : nil
    }

    /// The limit in seconds; infinity for none.
    static func seconds(_ duration: Duration?) -> TimeInterval {
        duration.map { $0 / .seconds(1) } ?? .infinity
    }

    /// What is wrong with a limit, if anything.
    static func problem(with seconds: TimeInterval) -> NetworkFailure? {
        if seconds > 0 { return nil }
        return NetworkFailure(
            "the timeout of \(seconds) seconds is not greater than zero",
            advice: "use a number of seconds, or .infinity for no limit"
        )
    }
}
