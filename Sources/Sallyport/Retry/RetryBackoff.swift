import Foundation

/// How long to wait before each further attempt of a call, where the server does not say.
public struct RetryBackoff: Sendable, Hashable {
    /// The longest wait before the second attempt.
    public var base: Duration

    /// By how much the longest wait grows from one attempt to the next.
    public var factor: Double

    /// The longest wait of all.
    public var cap: Duration

    /// Whether the wait is a random part of the longest one (full jitter), so that clients that failed together do not
    /// come back together.
    public var isJittered: Bool

    /// Makes a backoff.
    public init(base: Duration, factor: Double = 2, cap: Duration, isJittered: Bool = true) {
        self.base = base
        self.factor = factor
        self.cap = cap
        self.isJittered = isJittered
    }

    /// A random part of a time that doubles.
    ///
    /// - Parameters:
    ///   - base: The longest wait before the second attempt.
    ///   - cap: The longest wait of all.
    public static func exponential(base: Duration, cap: Duration) -> RetryBackoff {
        RetryBackoff(base: base, cap: cap)
    }

    /// The same wait each time.
    public static func constant(_ delay: Duration) -> RetryBackoff {
        RetryBackoff(base: delay, factor: 1, cap: delay, isJittered: false)
    }

    /// The wait after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: Which attempt has failed; the first is 1.
    ///   - generator: Where the chance comes from.
    public func delay(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let base = max(0, base / .seconds(1))
        let grown = base == 0 ? 0 : base * pow(factor, Double(max(0, attempt - 1)))
        let cap = max(0, cap / .seconds(1))
        let longest = grown < cap ? max(0, grown) : cap
        return .seconds(isJittered ? Double.random(in: 0...longest, using: &generator) : longest)
    }

    /// The same, by the system's chance.
    func delay(afterAttempt attempt: Int) -> Duration {
        var generator = Self.systemGenerator
        return delay(afterAttempt: attempt, using: &generator)
    }

    /// In a box: ThreadSanitizer falls over a generator that is passed inout and has no bytes.
    static var systemGenerator: any RandomNumberGenerator { SystemRandomNumberGenerator() }
}
