/// The time during which the body of a response may be read.
///
/// A scope is made by ``withExchangeScope(isolation:_:)`` and ends with its closure. A transport registers what has to
/// be taken back then, so that neither a connection nor a task outlives the closure.
public final class ExchangeScope: Sendable {
    private enum State {
        case open([@Sendable () async -> Void])
        case ended
    }

    private let state = Locked(State.open([]))

    @usableFromInline
    package init() {}

    /// Registers work to be done when the scope ends, last registered first.
    ///
    /// - Parameter cleanup: Must end soon by itself. In a scope that has ended already, it is not run.
    /// - Returns: Whether the scope was still open.
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

/// Runs a closure with a scope that ends when the closure does, however it does.
///
/// - Parameter body: Sends requests in the scope and reads their responses.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
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
