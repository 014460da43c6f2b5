import Foundation
import Sallyport

/// Compares this computer's clock with the server's.
enum ClockCheck {
    /// How far clocks may differ before tokens are taken for too old, or not yet valid.
    private static let tolerance: TimeInterval = 30

    /// - Parameters:
    ///   - date: The value of `Date` in a response.
    ///   - now: When the response came.
    static func finding(serverDate date: String?, now: Date) -> Finding {
        guard let date, let serverTime = HttpDate.parse(date) else {
            return .warning(
                "The server does not say what time it is.",
                "Make sure that this computer's clock is right."
            )
        }
        let difference = now.timeIntervalSince(serverTime)
        if abs(difference) <= tolerance { return .good("This computer's clock agrees with the server's.") }
        let words = Format.time(.seconds(abs(difference)))
        return .problem(
            "This computer's clock is \(words) \(difference > 0 ? "ahead of" : "behind") the server's.",
            "Tokens would be taken for ended or not yet valid: set the clock, or have the server's set."
        )
    }
}
