import Foundation

/// New tokens that the store could not save, and the tokens that the store still contains, if any.
struct UnsavedTokens: Sendable {
    let record: TokenRecord
    let replaced: OAuthTokens?
}

/// The state of a session: cached tokens, the refresh that is running, and the callers that wait for it.
///
/// A caller gets the cached tokens at once while they are valid. If they are due, a refresh starts meanwhile; only one runs at a time. A
/// caller waits only if there are no valid tokens. The state performs no I/O: each change returns the actions to perform once the lock is
/// released. Callers are resumed in the order they began to wait.
struct SessionState<Waiter> {
    typealias Outcome = Result<OAuthTokens, OAuthSessionError>

    enum Action {
        case resume(Waiter, Outcome)
        case startRefresh(number: Int, isAwaited: Bool)
        case notify(@Sendable () -> Void)
    }

    fileprivate struct Waiting {
        let waiter: Waiter
        /// The access token that a server has rejected.
        let rejected: String?
    }

    /// The cached tokens.
    private(set) var tokens: OAuthTokens?
    /// The number of changes of the cache.
    private(set) var cacheVersion = 0
    /// The time from which the cached tokens should be refreshed; `nil` means never.
    private var refreshDue: Date?
    /// `true` if a server has rejected the cached tokens.
    private var isRejected = false
    /// New tokens that the store could not save.
    private(set) var unsaved: UnsavedTokens?
    /// `true` while new tokens are being saved.
    var isSaving = false

    private var waiting: [Int: Waiting] = [:]
    private var lastWaiterNumber = 0
    private var idleHandlers: [@Sendable () -> Void] = []

    /// The number of the running refresh; `nil` if none is running.
    private(set) var runningRefresh: Int?
    private var lastRefreshNumber = 0

    var isRefreshing: Bool { runningRefresh != nil }

    // MARK: Waiting for tokens

    /// The time that a call needs to arrive at its server, in seconds. Tokens that are due and expire sooner are refreshed first.
    private static var arrivalTime: TimeInterval { 2 }

    /// Returns the cached tokens if they are valid and were not rejected. If they are due, a refresh starts, and the caller does not wait.
    mutating func validTokens(at now: Date, rejecting rejected: String? = nil) -> (OAuthTokens, [Action])? {
        guard let tokens = acceptableTokens(rejecting: rejected) else { return nil }
        guard let refreshDue, now >= refreshDue else { return (tokens, []) }
        if isExpiring(tokens, at: now) { return nil }
        return (tokens, startRefreshIfNeeded(isAwaited: false))
    }

    private func acceptableTokens(rejecting rejected: String?) -> OAuthTokens? {
        guard let tokens, !isRejected, tokens.accessToken != rejected else { return nil }
        return tokens
    }

    private func isExpiring(_ tokens: OAuthTokens, at now: Date) -> Bool {
        tokens.expiresAt.map { now + Self.arrivalTime >= $0 } ?? false
    }

    /// Returns the number of a new waiter, which defines its position in the queue.
    mutating func makeWaiterNumber() -> Int {
        lastWaiterNumber += 1
        return lastWaiterNumber
    }

    /// Resumes the waiter with valid tokens, or adds it to the queue and starts a refresh if none is running.
    mutating func wait(_ waiter: Waiter, number: Int, rejecting rejected: String?, at now: Date) -> [Action] {
        if let (tokens, actions) = validTokens(at: now, rejecting: rejected) {
            return [.resume(waiter, .success(tokens))] + actions
        }
        reject(rejected)
        waiting[number] = Waiting(waiter: waiter, rejected: rejected)
        return startRefreshIfNeeded()
    }

    /// Removes a waiter from the queue and returns it. A running refresh continues, because the server may have received the
    /// request already.
    mutating func removeWaiter(_ number: Int) -> Waiter? { waiting.removeValue(forKey: number)?.waiter }

    /// Calls a handler when no refresh is running, immediately if none is running now.
    mutating func whenIdle(_ handler: @escaping @Sendable () -> Void) -> [Action] {
        guard isRefreshing else { return [.notify(handler)] }
        idleHandlers.append(handler)
        return []
    }

    /// Resumes the waiters that can use the cached tokens, while a refresh is running.
    mutating func resumeWaiters(at now: Date) -> [Action] {
        waiting.keys.sorted().compactMap { number in
            guard let waiter = waiting[number], let tokens = acceptableTokens(rejecting: waiter.rejected),
                !isExpiring(tokens, at: now)
            else { return nil }
            waiting[number] = nil
            return .resume(waiter.waiter, .success(tokens))
        }
    }

    // MARK: Rejected tokens

    /// Marks the cached tokens as rejected if they contain the access token.
    mutating func reject(_ accessToken: String?) {
        if let accessToken, tokens?.accessToken == accessToken { isRejected = true }
    }

    /// Returns `true` if a server has rejected an access token.
    func isRejected(_ accessToken: String) -> Bool {
        isRejected && tokens?.accessToken == accessToken || waiting.values.contains { $0.rejected == accessToken }
    }

    // MARK: Stored tokens

    /// Caches tokens.
    ///
    /// - Parameter refreshDue: The time from which they should be refreshed.
    mutating func cache(_ tokens: OAuthTokens?, refreshDue: Date?) {
        if tokens?.accessToken != self.tokens?.accessToken { isRejected = false }
        self.tokens = tokens
        self.refreshDue = refreshDue
        cacheVersion += 1
    }

    /// Sets or discards the tokens that the store could not save.
    mutating func setUnsaved(_ unsaved: UnsavedTokens?) { self.unsaved = unsaved }

    // MARK: Refresh

    /// Ends the running refresh and resumes the waiters with its outcome.
    ///
    /// - Parameters:
    ///   - isNew: `true` if the server has just issued the tokens. If not, waiters that have rejected the access token of the outcome
    ///     continue to wait for another refresh.
    ///   - nextAttempt: The earliest time of the next refresh if this one has failed and the cached tokens are still valid.
    mutating func endRefresh(with outcome: Outcome, isNew: Bool, nextAttempt: Date) -> [Action] {
        runningRefresh = nil
        switch outcome {
        case .success: if isNew { isRejected = false }
        case .failure:
            guard let due = refreshDue, due < nextAttempt else { break }
            refreshDue = min(nextAttempt, tokens?.expiresAt ?? nextAttempt)
        }
        let numbers = waiting.keys.sorted().filter { number in
            guard !isNew, case .success(let tokens) = outcome else { return true }
            return waiting[number]?.rejected != tokens.accessToken
        }
        let actions = numbers.compactMap { number in
            waiting.removeValue(forKey: number).map { Action.resume($0.waiter, outcome) }
        }
        if !waiting.isEmpty { return actions + startRefreshIfNeeded() }
        defer { idleHandlers = [] }
        return actions + idleHandlers.map { .notify($0) }
    }

    private mutating func startRefreshIfNeeded(isAwaited: Bool = true) -> [Action] {
        if isRefreshing { return [] }
        lastRefreshNumber += 1
        runningRefresh = lastRefreshNumber
        return [.startRefresh(number: lastRefreshNumber, isAwaited: isAwaited)]
    }
}

extension SessionState: Sendable where Waiter: Sendable {}
extension SessionState.Waiting: Sendable where Waiter: Sendable {}
extension SessionState.Action: Sendable where Waiter: Sendable {}
