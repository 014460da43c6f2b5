import NIOCore

/// Tells a flood of something that has a use now and then: more of it than a limit within half a minute.
struct FloodGauge {
    private static let limit = 200
    private static let period = TimeAmount.seconds(30)

    private var count = 0
    private var since = NIODeadline.now()

    /// Counts one more.
    ///
    /// - Returns: Whether these are too many.
    mutating func overflows(at now: NIODeadline) -> Bool {
        if now - since > Self.period { (count, since) = (0, now) }
        count += 1
        return count > Self.limit
    }
}
