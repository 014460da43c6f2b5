import SallyportStorage

/// The time during which the body of a response may be read.
///
/// ``withExchangeScope(isolation:_:)`` creates a scope, which ends with its closure. Transports register cleanup work with it, so that
/// neither a connection nor a task outlives the closure.
public final class ExchangeScope: Sendable {
    /// Work for the end of a scope.
    @usableFromInline
    package enum Cleanup: Sendable {
        case immediate(@Sendable () -> Void)
        case waiting(@Sendable () async -> Void)

        fileprivate func run() async {
            switch self {
            case .immediate(let work): work()
            case .waiting(let work): await work()
            }
        }
    }

    /// The registered work; `nil` after the end of the scope.
    private let cleanups = LockedValue<[Cleanup]?>([])

    @usableFromInline
    package init() {}

    /// Registers work for the end of the scope. Work runs in the reverse order of its registration.
    ///
    /// - Parameter cleanup: The work, which must end soon by itself. If the scope has ended, it is not run.
    /// - Returns: `false` if the scope has ended.
    @discardableResult
    public func onExit(_ cleanup: @escaping @Sendable () async -> Void) -> Bool { add(.waiting(cleanup)) }

    /// Registers work that does not suspend for the end of the scope. Work runs in the reverse order of its registration.
    ///
    /// - Parameter cleanup: The work, which must not block. If the scope has ended, it is not run.
    /// - Returns: `false` if the scope has ended.
    @discardableResult
    public func onExit(_ cleanup: @escaping @Sendable () -> Void) -> Bool { add(.immediate(cleanup)) }

    private func add(_ cleanup: Cleanup) -> Bool {
        cleanups.withLock { cleanups in
            cleanups?.append(cleanup)
            return cleanups != nil
        }
    }

    /// Ends the scope, and runs its work, the last registered first, up to the first work that may suspend.
    ///
    /// - Returns: The remaining work. Run it in this order.
    @usableFromInline
    package func endNow() -> [Cleanup] {
        var cleanups = cleanups.withLock { cleanups in
            defer { cleanups = nil }
            return cleanups ?? []
        }
        while case .immediate(let work)? = cleanups.last {
            cleanups.removeLast()
            work()
        }
        return cleanups.reversed()
    }

    /// Ends the scope and runs its work.
    package func end() async { await Self.run(endNow()) }

    /// Runs the work that ``endNow()`` has returned.
    @usableFromInline
    package static func run(_ cleanups: [Cleanup]) async {
        for cleanup in cleanups { await cleanup.run() }
    }
}

/// Runs a closure with a scope that ends when the closure returns or throws.
///
/// - Parameters:
///   - isolation: The isolation of the caller and the closure.
///   - body: A closure that sends requests in the scope and reads their responses.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws.
@inlinable
public func withExchangeScope<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ExchangeScope) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let scope = ExchangeScope()
    let outcome: Swift.Result<Result, Failure>
    do throws(Failure) { outcome = .success(try await body(scope)) } catch { outcome = .failure(error) }
    let cleanups = scope.endNow()
    if !cleanups.isEmpty { await ExchangeScope.run(cleanups) }
    return try outcome.get()
}
