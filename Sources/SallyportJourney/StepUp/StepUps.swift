import Sallyport
import SallyportStorage

/// The step-ups of a journey. Only one runs at a time.
final class StepUps: Sendable {
    private struct State: Sendable {
        /// The number of step-ups that have succeeded.
        var count = 0
        /// The demand that the last successful step-up met.
        var last: String?
    }

    /// The identifiers of the instances that the current task performs a step-up for.
    @TaskLocal private static var enclosing: Set<ObjectIdentifier> = []

    private let mutex = AsyncMutex()
    private let state = Locked(State())

    /// The number of step-ups that have succeeded.
    var count: Int { state.withLock { $0.count } }

    /// `true` if the current task is part of a step-up. It cannot wait for that step-up.
    var isWithinStepUp: Bool { Self.enclosing.contains(ObjectIdentifier(self)) }

    /// Runs a step-up, unless the last one met the same demand after the request was sent.
    ///
    /// - Parameters:
    ///   - demand: A text that identifies the demand; `nil` for a transaction, which the user confirms for each call.
    ///   - earlier: ``count`` when the request was sent.
    ///   - stepUp: A closure that lets the user meet the demand.
    func run(
        _ demand: String?,
        after earlier: Int,
        _ stepUp: @Sendable () async throws -> Void
    ) async throws {
        try await mutex.withLock { [self] in
            if let demand, state.withLock({ $0.count > earlier && $0.last == demand }) { return }
            try await Self.$enclosing.withValue(Self.enclosing.union([ObjectIdentifier(self)])) { try await stepUp() }
            state.withLock { $0 = State(count: $0.count + 1, last: demand) }
        }
    }
}
