import SallyportStorage

/// The time during which the body of a response may be read.
///
/// ``withExchangeScope(isolation:_:)`` creates a scope, which ends with its closure. Transports register cleanup work with it, so that
/// neither a connection nor a task outlives the closure.
public final class ExchangeScope: Sendable {
    private enum State {
        case open([@Sendable () async -> Void])
        case ended
    }

    private let state = Locked(State.open([]))

    @usableFromInline
    package init() {}

    /// Registers work for the end of the scope. Work runs in the reverse order of its registration.
    ///
    /// - Parameter cleanup: The work, which must end soon by itself. If the scope has ended, it is not run.
    /// - Returns: `false` if the scope has ended.
    @discardableResult
    public func onExit(_ cleanup: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard case .open(let cleanups) = state else { return false }
            state = .open(cleanups + [cleanup])
            return true
        }
    }

    @usableFromInline
    package func end() async {
        let cleanups: [@Sendable () async -> Void] = state.withLock { state in
            guard case .open(let cleanups) = state else { return [] }
            state = .ended
            return cleanups
        }
        for cleanup in cleanups.reversed() { await cleanup() }
    }
}

/// Runs a closure with a scope that ends when the closure returns or throws.
///
/// - Parameter body: A closure that sends requests in the scope and reads their responses.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws.
@inlinable
public func withExchangeScope<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ExchangeScope) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let scope = ExchangeScope()
    do throws(Failure) {
        let result = try await body(scope)
        await scope.end()
        return result
    } catch {
        await scope.end()
        throw error
    }
}
