import Foundation
import Logging
import Sallyport
import SallyportTransport

/// The tokens of one login: kept in a store, refreshed when it is time, given to whoever calls with them.
///
/// One refresh goes on at a time, however many tasks wait, in this process and all others that share the store. Those
/// who wait go on with the new token, in order, or get the same error. What fails on the network or for a trouble of the
/// server keeps the session; only `invalid_grant` ends it.
///
/// ```swift
/// let session = OAuthSession(refresher: oauth, store: FileTokenStore(at: file))
/// let api = client.authorized(by: session, for: "https://api.example.com")
/// let response = try await api.request { request in request.url = "https://api.example.com/me" }
/// ```
///
/// A refresh is finished even if nobody waits for it any more, as the server may have answered already: a program that
/// ends calls ``finish()`` before.
public final class OAuthSession: Sendable {
    typealias Outcome = Result<OAuthTokens, OAuthSessionError>
    private typealias Waiter = CheckedContinuation<Outcome, Never>

    let refresher: any TokenRefresher
    let store: any TokenStore
    let refreshAhead: Duration
    let refreshLimit: Duration
    let logger: Logger
    let now: @Sendable () -> Date
    private let state = Locked(SessionState<Waiter>())
    private let refreshing = Locked<Task<Void, Never>?>(nil)
    /// The number of the refresh under way, or of none.
    private let refreshNumber = Locked(0)
    /// The refreshes that the present task is a part of, by their sessions.
    @TaskLocal private static var refreshesHere: [ObjectIdentifier: Int] = [:]
    /// New tokens that the store did not take, and those that it holds instead.
    let unsaved = Locked<UnsavedTokens?>(nil)

    /// Makes a session. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - refresher: Brings new tokens.
    ///   - store: Keeps the tokens, and what is in it already.
    ///   - refreshAhead: How long before their end tokens are refreshed; half of their life at most.
    ///   - refreshLimit: How long one refresh may take; then it is given up, and its answer may be lost. Whoever shares
    ///     the store should wait longer than that for it, as a ``FileTokenStore`` does.
    ///   - logger: Is told of refreshes and how they ended, never of a token.
    public convenience init(
        refresher: any TokenRefresher,
        store: any TokenStore,
        refreshAhead: Duration = .seconds(60),
        refreshLimit: Duration = .seconds(60),
        logger: Logger = LogManager.none
    ) {
        self.init(
            refresher: refresher,
            store: store,
            refreshAhead: refreshAhead,
            refreshLimit: refreshLimit,
            logger: logger
        ) { Date() }
    }

    /// - Parameter now: The present time.
    package init(
        refresher: any TokenRefresher,
        store: any TokenStore,
        refreshAhead: Duration = .seconds(60),
        refreshLimit: Duration = .seconds(60),
        logger: Logger = LogManager.none,
        now: @escaping @Sendable () -> Date
    ) {
        self.refresher = refresher
        self.store = store
        self.refreshAhead = refreshAhead
        self.refreshLimit = refreshLimit
        self.logger = logger
        self.now = now
    }

    /// Tokens to call with: those that are known while they are fresh, which takes no waiting; else refreshed ones.
    ///
    /// - Throws: ``OAuthSessionError``. A cancelled task stops waiting; those beside it do not.
    public nonisolated(nonsending) func tokens() async throws(OAuthSessionError) -> OAuthTokens {
        try await tokens(rejecting: nil)
    }

    /// Tokens to call with after a server has rejected some, with a 401.
    ///
    /// If they have been replaced since, the new ones are given; else they are refreshed.
    ///
    /// - Throws: ``OAuthSessionError``.
    public nonisolated(nonsending) func tokens(
        replacing rejected: OAuthTokens
    ) async throws(OAuthSessionError) -> OAuthTokens {
        try await tokens(rejecting: rejected.accessToken)
    }

    /// Has the tokens refreshed before they are given again, as a server has rejected them.
    public func reject(_ rejected: OAuthTokens) {
        state.withLock { $0.reject(rejected.accessToken) }
    }

    /// Refreshes the tokens, fresh or not.
    ///
    /// - Throws: ``OAuthSessionError``.
    @discardableResult
    public nonisolated(nonsending) func refresh() async throws(OAuthSessionError) -> OAuthTokens {
        guard let tokens = try await current() else { throw .nobody }
        return try await self.tokens(replacing: tokens)
    }

    /// Waits until a refresh that is under way is over. To be called before the program ends.
    public func finish() async {
        if isRefreshedHere { return }
        await refreshing.withLock { $0 }?.value
        // Between the decision to refresh and its task there is a moment.
        while isRefreshing {
            await Task.yield()
            await refreshing.withLock { $0 }?.value
        }
    }

    /// Tokens to call with, unless something ends the wait for them before.
    ///
    /// - Parameters:
    ///   - rejected: Those that a server has rejected.
    ///   - end: Waits until nobody wants them any more, and says why. It is cancelled when they are there.
    nonisolated(nonsending) func tokens(
        replacing rejected: OAuthTokens?,
        until end: @escaping @Sendable () async -> OAuthSessionError
    ) async throws(OAuthSessionError) -> OAuthTokens {
        if let tokens = fresh(rejecting: rejected?.accessToken) { return tokens }
        let number = state.withLock { $0.number() }
        let reason = Locked<OAuthSessionError?>(nil)
        let outcome = await withTaskGroup(of: Void.self, returning: Outcome.self) { group in
            group.addTask {
                let error = await end()
                reason.withLock { $0 = error }
                self.leave(number, error)
            }
            defer { group.cancelAll() }
            return await wait(number, rejecting: rejected?.accessToken) { reason.withLock { $0 } }
        }
        return try outcome.get()
    }

    private nonisolated(nonsending) func tokens(
        rejecting rejected: String?
    ) async throws(OAuthSessionError) -> OAuthTokens {
        if let tokens = fresh(rejecting: rejected) { return tokens }
        return try await wait(state.withLock { $0.number() }, rejecting: rejected) { nil }.get()
    }

    private func fresh(rejecting rejected: String?) -> OAuthTokens? {
        let now = now()
        return state.withLock { $0.fresh(at: now, rejecting: rejected) }
    }

    /// Waits for tokens.
    ///
    /// - Parameter end: Why nobody wants them any more, if that is so already.
    private nonisolated(nonsending) func wait(
        _ number: Int,
        rejecting rejected: String?,
        unless end: @Sendable () -> OAuthSessionError?
    ) async -> Outcome {
        if isRefreshedHere { return .failure(.withinRefresh) }
        let now = now()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                perform(
                    state.withLock { state in
                        if Task.isCancelled { return [.resume(waiter, .failure(.cancelled))] }
                        if let error = end() { return [.resume(waiter, .failure(error))] }
                        return state.wait(waiter, number: number, rejecting: rejected, at: now)
                    }
                )
            }
        } onCancel: {
            leave(number, .cancelled)
        }
    }

    private func leave(_ number: Int, _ error: OAuthSessionError) {
        state.withLock { $0.leave(number) }?.resume(returning: .failure(error))
    }

    private func perform(_ actions: [SessionState<Waiter>.Action]) {
        for action in actions {
            switch action {
            case .resume(let waiter, let outcome): waiter.resume(returning: outcome)
            case .refresh: refreshing.withLock { $0 = Task { await self.refreshForAll() } }
            }
        }
    }

    private func refreshForAll() async {
        let number = refreshNumber.withLock { number in
            number += 1
            return number
        }
        var here = Self.refreshesHere
        here[ObjectIdentifier(self)] = number
        let (outcome, isNew) = await Self.$refreshesHere.withValue(here) { await renewed() }
        refreshNumber.withLock { $0 += 1 }
        perform(state.withLock { $0.ended(outcome, isNew: isNew) })
    }
}

/// What the refresh and the operations on the store tell of the tokens.
extension OAuthSession {
    /// Takes note of what is kept now.
    func know(_ record: TokenRecord?, due: Date?) {
        state.withLock { $0.know(record?.tokens, due: due) }
    }

    /// Whether a server has rejected the tokens.
    func isRejected(_ tokens: OAuthTokens) -> Bool {
        state.withLock { $0.isRejected(tokens.accessToken) }
    }

    /// Whether the present task is a part of the refresh under way, which it cannot wait for.
    var isRefreshedHere: Bool {
        guard let number = Self.refreshesHere[ObjectIdentifier(self)] else { return false }
        return refreshNumber.withLock { $0 == number }
    }

    /// Whether a refresh goes on.
    package var isRefreshing: Bool { state.withLock { $0.isRefreshing } }
}
