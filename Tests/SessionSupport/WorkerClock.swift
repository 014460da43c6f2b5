import Foundation
import Sallyport
import SallyportStorage

/// A clock that a test can put forward.
public final class WorkerClock: Sendable {
    private let offset = Locked(0.0)

    /// Shows the time.
    public init() {}

    /// The time, and what it was put forward by.
    public var now: @Sendable () -> Date { { [self] in Date() + offset.withLock { $0 } } }

    /// Puts the clock forward against the real time, in seconds.
    public func set(offset: TimeInterval) { self.offset.withLock { $0 = offset } }
}
