import Foundation
import Logging
import Sallyport
import SallyportStorage
import SallyportTransport

/// The tokens of one login: stored, refreshed when they are due, and provided to every call that needs them.
///
/// Calls get valid tokens at once. Tokens that expire soon are refreshed in the background meanwhile. A failure of that refresh is only
/// logged, and it is repeated after a pause. A call waits for a refresh only if its tokens have expired, would expire before it arrives, or were
/// rejected. One refresh runs at a time, in this process and all others that share the store. The waiting tasks continue with the new
/// tokens, or throw the same error. Failures of the network and temporary failures of the server keep the session; only
/// `invalid_grant` ends it.
///
/// ```swift
/// let session = OAuthSession(refresher: oauth, store: FileTokenStore(at: file))
/// let api = client.authorized(by: session, for: "https://api.example.com")
/// let response = try await api.request { request in request.url = "https://api.example.com/me" }
/// ```
///
/// If there are no tokens, calls fail with ``OAuthSessionError/notLoggedIn(_:)``, unless the refresher needs no login: a session
/// with a ``ClientCredentialsRefresher`` obtains its first tokens itself. To send requests without a token instead, see
/// ``OAuthAuthentication/whenSignedOut``.
///
/// A refresh continues even if no task waits for it, because the server may have received the request already. Before a program ends, it
/// should call ``finish(within:)``.
public final class OAuthSession: Sendable {
    typealias Waiter = CheckedContinuation<Result<OAuthTokens, OAuthSessionError>, Never>
    typealias State = SessionState<Waiter>

    /// The refreshes that the current task is part of, by the sessions that run them.
    @TaskLocal private static var enclosingRefreshes: [ObjectIdentifier: Int] = [:]

    let refresher: any TokenRefresher
    let now: @Sendable () -> Date
    private let store: any TokenStore
    private let logger: Logger
    private let state = Locked(State())
    private let records: SessionRecords
    private let sessionRefresh: SessionRefresh

    /// Creates a session. The store is not read until tokens are needed.
    ///
    /// - Parameters:
    ///   - refresher: The source of new tokens, such as an ``OAuthClient``.
    ///   - store: The store of the tokens, which may contain some already.
    ///   - refreshAhead: The time before their expiry at which tokens are refreshed in the background; at most half of their lifetime. Each
    ///     session uses 80 to 100% of it, so that processes that share the store do not refresh at the same time.
    ///   - refreshLimit: The maximum duration of a refresh, after which it is cancelled and its response may be lost. Other
    ///     processes that share the store should wait longer than that for access to it, as a ``FileTokenStore`` does.
    ///   - logger: The logger for refreshes and their outcomes. No token is logged.
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

    /// - Parameter now: A closure that returns the current time.
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
        self.logger = logger
        self.now = now
        records = SessionRecords(
            store: store,
            refresher: refresher,
            refreshAhead: refreshAhead,
            state: state,
            now: now
        )
        sessionRefresh = SessionRefresh(records: records, refresher: refresher, limit: refreshLimit, logger: logger)
    }

    // MARK: Tokens for calls

    /// Returns the tokens while they are valid, without waiting for a refresh that may be due, or else refreshed ones.
    ///
    /// - Throws: ``OAuthSessionError``. A cancelled task stops waiting; other waiting tasks do not.
    public nonisolated(nonsending) func tokens() async throws(OAuthSessionError) -> OAuthTokens {
        try await tokens(rejecting: nil)
    }

    /// Returns other tokens than those that a server has rejected with a 401.
    ///
    /// If they have been replaced since, the result is the new ones; otherwise they are refreshed.
    ///
    /// - Throws: ``OAuthSessionError``.
    public nonisolated(nonsending) func tokens(
        replacing rejected: OAuthTokens
    ) async throws(OAuthSessionError) -> OAuthTokens {
        try await tokens(rejecting: rejected.accessToken)
    }

    /// Marks tokens as rejected by a server, so that they are refreshed before their next use.
    public func reject(_ rejected: OAuthTokens) {
        state.withLock { $0.reject(rejected.accessToken) }
    }

    /// Refreshes the tokens, fresh or not, or obtains the first ones.
    ///
    /// - Throws: ``OAuthSessionError``.
    @discardableResult
    public nonisolated(nonsending) func refresh() async throws(OAuthSessionError) -> OAuthTokens {
        guard let tokens = try await current() else {
            // The store is empty, as after a logout by another process, so the cached tokens are not used either.
            records.forgetSaved()
            return try await self.tokens()
        }
        return try await self.tokens(replacing: tokens)
    }

    /// Waits until no refresh is running, and all tokens are stored. Call it before the program ends.
    ///
    /// Returns at once within a refresh of this session, as in an interceptor of the client that refreshes. A cancelled task waits too,
    /// because the response of the server must be stored.
    ///
    /// ```swift
    /// try await session.finish(within: .seconds(2))
    /// ```
    ///
    /// - Parameter limit: The maximum time to wait for the response of the server; `nil` if only the limit of the refresh itself applies.
    ///   If the program ends before the response arrives, the server may have replaced the refresh token already. The next program then
    ///   repeats the refresh, and the session ends if the server does not accept the old refresh token again.
    /// - Throws: ``OAuthSessionError/store(_:)`` if new tokens cannot be stored, with attempts that begin within 30
    ///   seconds. They are lost when the program ends.
    public func finish(within limit: Duration? = nil) async throws(OAuthSessionError) {
        if isWithinRefresh { return }
        await waitUntilIdle(within: limit)
        if state.withLock({ $0.isSaving }) { await waitUntilIdle(within: nil) }
        if records.unsaved == nil { return }
        // The attempts ignore the cancellation of this task, too.
        let saving = Task { () async -> OAuthSessionError? in
            do throws(OAuthSessionError) {
                try await sessionRefresh.saveRemaining()
                return nil
            } catch { return error }
        }
        if let error = await saving.value { throw error }
    }

    /// Waits until no refresh is running.
    package func waitUntilIdle(within limit: Duration? = nil) async {
        // The continuation is resumed by the end of the refresh or by the limit, whichever comes first. Unstructured tasks ignore the
        // cancellation of this one.
        let isOver = Locked(false)
        let timer = Locked<Task<Void, Never>?>(nil)
        await withCheckedContinuation { continuation in
            let end: @Sendable () -> Void = {
                if !isOver.exchange(true) { continuation.resume() }
            }
            if let limit {
                let task = Task {
                    try? await Task.sleep(for: limit)
                    end()
                }
                timer.withLock { $0 = task }
            }
            perform(state.withLock { $0.whenIdle(end) })
        }
        timer.take()?.cancel()
    }

    /// Returns tokens for a call, unless the wait for them ends early.
    ///
    /// - Parameters:
    ///   - rejected: Tokens that a server has rejected.
    ///   - end: A closure that returns when the wait must end, with the error to throw. It is cancelled when there are
    ///     tokens.
    nonisolated(nonsending) func waitForTokens(
        replacing rejected: OAuthTokens?,
        until end: @escaping @Sendable () async -> OAuthSessionError
    ) async throws(OAuthSessionError) -> OAuthTokens {
        if let tokens = validTokens(rejecting: rejected?.accessToken) { return tokens }
        let number = state.withLock { $0.makeWaiterNumber() }
        let endError = Locked<OAuthSessionError?>(nil)
        let outcome = await withTaskGroup(of: Void.self, returning: State.Outcome.self) { group in
            group.addTask {
                let error = await end()
                endError.withLock { $0 = error }
                self.endWait(number, error)
            }
            defer { group.cancelAll() }
            return await wait(number, rejecting: rejected?.accessToken) { endError.withLock { $0 } }
        }
        return try outcome.get()
    }

    private nonisolated(nonsending) func tokens(
        rejecting rejected: String?
    ) async throws(OAuthSessionError) -> OAuthTokens {
        if let tokens = validTokens(rejecting: rejected) { return tokens }
        return try await wait(state.withLock { $0.makeWaiterNumber() }, rejecting: rejected) { nil }.get()
    }

    private func validTokens(rejecting rejected: String?) -> OAuthTokens? {
        let now = now()
        guard let (tokens, actions) = state.withLock({ $0.validTokens(at: now, rejecting: rejected) }) else {
            return nil
        }
        perform(actions)
        return tokens
    }

    /// Waits for tokens.
    ///
    /// - Parameter endError: A closure that returns the error to end the wait with, if the wait must end before it begins.
    private nonisolated(nonsending) func wait(
        _ number: Int,
        rejecting rejected: String?,
        unless endError: @Sendable () -> OAuthSessionError?
    ) async -> State.Outcome {
        if isWithinRefresh { return .failure(.withinRefresh) }
        let now = now()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                perform(
                    state.withLock { state in
                        if Task.isCancelled { return [.resume(waiter, .failure(.cancelled))] }
                        if let error = endError() { return [.resume(waiter, .failure(error))] }
                        return state.wait(waiter, number: number, rejecting: rejected, at: now)
                    }
                )
            }
        } onCancel: {
            endWait(number, .cancelled)
        }
    }

    private func endWait(_ number: Int, _ error: OAuthSessionError) {
        state.withLock { $0.removeWaiter(number) }?.resume(returning: .failure(error))
    }

    private func perform(_ actions: [State.Action]) {
        for action in actions {
            switch action {
            case .resume(let waiter, let outcome): waiter.resume(returning: outcome)
            case .startRefresh(let number, let isAwaited):
                // A caller that does not wait may end its access to a store, or a refresh that it is part of, before this one ends.
                if isAwaited {
                    Task { await self.runRefresh(number) }
                } else {
                    Task.detached { await self.runRefresh(number) }
                }
            case .notify(let handler): handler()
            }
        }
    }

    private func runRefresh(_ number: Int) async {
        let refreshes = Self.enclosingRefreshes.merging([ObjectIdentifier(self): number]) { $1 }
        let (outcome, isNew) = await Self.$enclosingRefreshes.withValue(refreshes) {
            await sessionRefresh.run { [self] in
                let now = now()
                perform(state.withLock { $0.resumeWaiters(at: now) })
            }
        }
        let next = now() + SessionRefresh.pauseAfterFailure()
        perform(state.withLock { $0.endRefresh(with: outcome, isNew: isNew, nextAttempt: next) })
    }

    /// `true` if the current task is part of the running refresh, which it cannot wait for.
    var isWithinRefresh: Bool {
        guard let number = Self.enclosingRefreshes[ObjectIdentifier(self)] else { return false }
        return state.withLock { $0.runningRefresh == number }
    }

    /// `true` while a refresh is running.
    package var isRefreshing: Bool { state.withLock { $0.isRefreshing } }

    // MARK: Stored tokens

    /// Saves the tokens of a new login, and revokes those that they replace.
    ///
    /// A failure to revoke the replaced tokens is only logged.
    ///
    /// - Parameters:
    ///   - tokens: The tokens to save.
    ///   - revokesReplaced: A Boolean value that indicates whether the replaced tokens are revoked. Pass `false` for tokens that
    ///     you have refreshed yourself, and for servers that end all logins of a user with the revocation of one.
    /// - Throws: ``OAuthSessionError/store(_:)``, and then the previous tokens are still stored.
    public func save(_ tokens: OAuthTokens, revokesReplaced: Bool = true) async throws(OAuthSessionError) {
        let record = TokenRecord(tokens: tokens, client: refresher.identity, obtainedAt: now())
        let replaced: TokenRecord? = try await withExclusiveStore {
            // Tokens that cannot be read, or that belong to another client, are replaced without revocation.
            let replaced = revokesReplaced && !self.isWithinRefresh ? try? await self.records.loadNewest() : nil
            try await self.records.save(record)
            return replaced
        }
        if let replaced { await revokeReplaced(replaced.tokens, by: tokens) }
    }

    /// Removes the tokens from the store without revoking them; see ``logout()``.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``.
    public func reset() async throws(OAuthSessionError) {
        try await withExclusiveStore { try await self.records.delete() }
    }

    /// Returns the stored tokens, expired or not, or `nil` if there are none. No request is sent.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``, or ``OAuthSessionError/otherClient(issuedTo:expected:)`` if the stored
    ///   tokens belong to another client.
    public func current() async throws(OAuthSessionError) -> OAuthTokens? {
        if let unsaved = records.unsaved { return unsaved.record.tokens }
        return try await records.load()?.tokens
    }

    /// The tokens in memory, expired or not; `nil` if the store has not been read or contains none.
    package var cachedTokens: OAuthTokens? { records.cachedTokens }

    /// Returns the stored access token, or `nil` if there is none or it has expired. ``tokens()`` refreshes expired ones.
    ///
    /// - Throws: The same errors as ``current()``.
    public func findAccessToken() async throws(OAuthSessionError) -> String? {
        guard let tokens = try await current() else { return nil }
        if let end = tokens.expiresAt, end <= now() { return nil }
        return tokens.accessToken
    }

    /// Returns the stored refresh token, or `nil` if there is none.
    ///
    /// - Throws: The same errors as ``current()``.
    public func findRefreshToken() async throws(OAuthSessionError) -> String? {
        try await current()?.refreshToken
    }

    /// Runs a closure with exclusive access to the store.
    private func withExclusiveStore<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws(OAuthSessionError) -> Value {
        do {
            // A refresh has exclusive access already.
            if isWithinRefresh { return try await body() }
            return try await store.withExclusiveAccess(body)
        } catch let error as OAuthSessionError {
            throw error
        } catch {
            throw OAuthSessionError(ofStore: error)
        }
    }

    // MARK: Revocation

    /// Revokes the tokens at the server, and removes them from the store.
    ///
    /// The session has exclusive access to the store from loading the tokens until they are removed. So a refresh, in this
    /// process or in another one that shares the store, cannot obtain new tokens that survive the logout.
    ///
    /// If the server refuses, the tokens are removed as well, because it would refuse again: some servers refuse public
    /// clients, and others offer no revocation. Tell the user then that the tokens may remain valid until they expire.
    ///
    /// ```swift
    /// if let refusal = try await session.logout() {
    ///     print("Logged out. The tokens may remain valid until they expire: \(refusal)")
    /// }
    /// ```
    ///
    /// - Returns: The refusal, if the server did not revoke the tokens (RFC 7009, section 2.2.1); `nil` if it did, or if there
    ///   were none.
    /// - Throws: ``OAuthSessionError``. The tokens are kept, so that the logout can be repeated, if the server could not be
    ///   reached (``OAuthSessionError/network(_:)``), if it failed for the time being (``OAuthSessionError/refused(_:)``), if
    ///   the store failed (``OAuthSessionError/store(_:)``), and if the tokens belong to another client
    ///   (``OAuthSessionError/otherClient(issuedTo:expected:)``).
    @discardableResult
    public func logout() async throws(OAuthSessionError) -> OAuthError? {
        try await withExclusiveStore {
            var refusal: OAuthError?
            if let record = try await self.records.loadNewest() { refusal = try await self.revoke(record.tokens) }
            try await self.records.delete()
            return refusal
        }
    }

    /// Revokes tokens.
    ///
    /// - Returns: The refusal of the server, if it is final.
    private func revoke(_ tokens: OAuthTokens) async throws(OAuthSessionError) -> OAuthError? {
        do {
            try await refresher.revoke(tokens)
            return nil
        } catch let error as OAuthError {
            if error.isTemporary { throw .refused(error) }
            logger.warning("The tokens were not revoked, and may remain valid until they expire: \(error)")
            return error
        } catch {
            throw .network(NetworkError(wrapping: error, reason: "the tokens could not be revoked"))
        }
    }

    /// Revokes the tokens that a login has replaced, unless the revocation could end the new login. A failure is only logged.
    private func revokeReplaced(_ old: OAuthTokens, by new: OAuthTokens) async {
        if old.mayShareGrant(with: new) { return }
        do throws(OAuthSessionError) {
            _ = try await revoke(old)
        } catch {
            logger.warning("The tokens that a login replaced were not revoked: \(error)")
        }
    }
}
