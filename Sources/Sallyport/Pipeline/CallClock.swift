import SallyportStorage
import SallyportTransport

/// The clock of a call, which does not advance while an interceptor pauses it.
struct CallClock: Sendable {
    /// The instant from which the clocks of all calls measure their start. An instant in each clock would make copies of calls expensive,
    /// because its layout is not known at compile time.
    private static let reference = ContinuousClock.now

    /// Returns an instant as the time since the reference.
    fileprivate static func time(at instant: ContinuousClock.Instant) -> Duration { reference.duration(to: instant) }

    /// The start of the call, as the time since the reference.
    private let started: Duration
    /// The pauses; `nil` if the client has no interceptors that could pause the call.
    let pauses: CallPauses?
    /// The duration of the pauses before the call, if its caller has paused before.
    private let earlierPauses: Duration

    /// Creates a clock that begins at zero.
    // Not inlined: its local values would belong to the frame of an asynchronous function, which a waiting call keeps.
    @inline(never)
    init(pauses: CallPauses?) {
        let now = ContinuousClock.now
        started = Self.time(at: now)
        self.pauses = pauses
        earlierPauses = pauses?.duration(until: now) ?? .zero
    }

    /// The time since the start of the call, without pauses.
    var elapsed: Duration {
        let now = ContinuousClock.now
        let elapsed = Self.time(at: now) - started
        return pauses.map { elapsed - ($0.duration(until: now) - earlierPauses) } ?? elapsed
    }
}

/// The pauses of a call's clock. Nested and concurrent pauses overlap, and count once.
package final class CallPauses: Sendable {
    private struct State: Sendable {
        var finished = Duration.zero
        /// The number of running pauses.
        var running = 0
        /// The start of the first running pause, as the time since the reference of the clocks.
        var start = Duration.zero
    }

    private let state = LockedValue(State())

    /// Creates an object without pauses.
    package init() {}

    /// Begins a pause.
    package func begin(at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            if state.running == 0 { state.start = CallClock.time(at: now) }
            state.running += 1
        }
    }

    /// Ends a pause that has begun.
    package func end(at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            state.running -= 1
            if state.running == 0 { state.finished += max(.zero, CallClock.time(at: now) - state.start) }
        }
    }

    /// Returns the total duration of the pauses, including a running one until now.
    func duration(until now: ContinuousClock.Instant = .now) -> Duration {
        state.withLock { state in
            state.finished + (state.running > 0 ? max(.zero, CallClock.time(at: now) - state.start) : .zero)
        }
    }
}

/// Measures the time that a stage takes, without the pauses of the call, by a time source that tests can replace.
struct CallTimer: Sendable {
    private let time: TimeSource
    private let start: Duration
    private let pauses: CallPauses?
    private let earlierPauses: Duration

    /// Starts to measure.
    init(_ next: Next, by time: TimeSource) {
        self.time = time
        start = time.now()
        pauses = next.call.clock.pauses
        earlierPauses = pauses?.duration() ?? .zero
    }

    /// The time since the timer was started, without pauses.
    var elapsed: Duration {
        let elapsed = time.now() - start
        return pauses.map { elapsed - ($0.duration() - earlierPauses) } ?? elapsed
    }
}
