import Foundation

/// The waits before further attempts of a call, if the server does not send `Retry-After`.
public struct RetryBackoff: Sendable, Hashable {
    /// The maximum wait before the second attempt.
    public var base: Duration

    /// The factor by which the maximum wait grows after each attempt.
    public var factor: Double

    /// The maximum wait before any attempt.
    public var cap: Duration

    /// A Boolean value that indicates whether each wait is a random part of the maximum (full jitter), so that clients that failed
    /// at the same time do not retry at the same time.
    public var isJittered: Bool

    /// Creates a backoff.
    public init(base: Duration, factor: Double = 2, cap: Duration, isJittered: Bool = true) {
        self.base = base
        self.factor = factor
        self.cap = cap
        self.isJittered = isJittered
    }

    /// Returns a backoff that doubles the maximum wait after each attempt. Each wait is a random part of the maximum.
    ///
    /// - Parameters:
    ///   - base: The maximum wait before the second attempt.
    ///   - cap: The maximum wait before any attempt.
    public static func exponential(base: Duration, cap: Duration) -> RetryBackoff {
        RetryBackoff(base: base, cap: cap)
    }

    /// Returns a backoff with the same wait before each attempt.
    public static func constant(_ delay: Duration) -> RetryBackoff {
        RetryBackoff(base: delay, factor: 1, cap: delay, isJittered: false)
    }

    /// Returns the wait after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that has failed. The first is 1.
    ///   - generator: The random number generator used for jitter.
    public func delay(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let base = max(0, base / .seconds(1))
        let grown = base == 0 ? 0 : base * pow(factor, Double(max(0, attempt - 1)))
        let cap = max(0, cap / .seconds(1))
        let longest = grown < cap ? max(0, grown) : cap
        return .seconds(isJittered ? Double.random(in: 0...longest, using: &generator) : longest)
    }

    /// Returns the wait after an attempt, using the system's random number generator for jitter.
    package func delay(afterAttempt attempt: Int) -> Duration {
        var generator = Self.systemGenerator
        return delay(afterAttempt: attempt, using: &generator)
    }

    /// The system's random number generator. Existential, as ThreadSanitizer crashes when an empty value is passed `inout`.
    static var systemGenerator: any RandomNumberGenerator { SystemRandomNumberGenerator() }
}
