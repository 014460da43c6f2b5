import Foundation

/// New tokens that the store could not save, and the tokens that the store still contains, if any.
struct UnsavedTokens: Sendable {
    let record: TokenRecord
    let replaced: OAuthTokens?
}

/// The state of a session: cached tokens, the refresh that is running, and the callers that wait for it.
///
/// A caller gets the cached tokens if they are fresh. Otherwise it waits for a refresh; only one runs at a time. The state
/// performs no I/O: each change returns the actions to perform once the lock is released. Callers are resumed in the order in
/// which they began to wait.
struct SessionState<Waiter> {
    typealias Outcome = Result<OAuthTokens, OAuthSessionError>

    enum Action {
        case resume(Waiter, Outcome)
        case startRefresh(number: Int)
        case notify(@Sendable () -> Void)
    }

    fileprivate struct Waiting {
        let waiter: Waiter
        /// The access token that a server has rejected.
        let rejected: String?
    }

    /// The cached tokens.
    private(set) var tokens: OAuthTokens?
    /// The time from which the cached tokens need a refresh before they are used; `nil` means never.
    private var refreshDue: Date?
    /// A Boolean value that indicates whether a server has rejected the cached tokens.
    private var isRejected = false
    /// New tokens that the store could not save.
    private(set) var unsaved: UnsavedTokens?

    private var waiting: [Int: Waiting] = [:]
    private var lastWaiterNumber = 0
    private var idleHandlers: [@Sendable () -> Void] = []

    /// The number of the running refresh; `nil` if none is running.
    private(set) var runningRefresh: Int?
    private var lastRefreshNumber = 0

    var isRefreshing: Bool { runningRefresh != nil }

    // MARK: Waiting for tokens

    /// Returns the cached tokens if they are fresh and were not rejected.
    func freshTokens(at now: Date, rejecting rejected: String? = nil) -> OAuthTokens? {
        guard let tokens, !isRejected, tokens.accessToken != rejected else { return nil }
        if let refreshDue, now >= refreshDue { return nil }
        return tokens
    }

    /// Returns the number of a new waiter, which defines its position in the queue.
    mutating func makeWaiterNumber() -> Int {
        lastWaiterNumber += 1
        return lastWaiterNumber
    }

    /// Resumes the waiter with fresh tokens, or adds it to the queue and starts a refresh if none is running.
    mutating func wait(_ waiter: Waiter, number: Int, rejecting rejected: String?, at now: Date) -> [Action] {
        if let tokens = freshTokens(at: now, rejecting: rejected) { return [.resume(waiter, .success(tokens))] }
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

    // MARK: Rejected tokens

    /// Marks the cached tokens as rejected if they contain the access token.
    mutating func reject(_ accessToken: String?) {
        if let accessToken, tokens?.accessToken == accessToken { isRejected = true }
    }

    /// Returns a Boolean value that indicates whether a server has rejected an access token.
    func isRejected(_ accessToken: String) -> Bool {
        isRejected && tokens?.accessToken == accessToken || waiting.values.contains { $0.rejected == accessToken }
    }

    // MARK: Stored tokens

    /// Caches tokens.
    ///
    /// - Parameter refreshDue: The time from which they need a refresh before they are used.
    mutating func cache(_ tokens: OAuthTokens?, refreshDue: Date?) {
        if tokens?.accessToken != self.tokens?.accessToken { isRejected = false }
        self.tokens = tokens
        self.refreshDue = refreshDue
    }

    /// Sets or discards the tokens that the store could not save.
    mutating func setUnsaved(_ unsaved: UnsavedTokens?) { self.unsaved = unsaved }

    // MARK: Refresh

    /// Ends the running refresh and resumes the waiters with its outcome.
    ///
    /// - Parameter isNew: A Boolean value that indicates whether the server has just issued the tokens. If not, waiters that have
    ///   rejected the access token of the outcome continue to wait for another refresh.
    mutating func endRefresh(with outcome: Outcome, isNew: Bool) -> [Action] {
        runningRefresh = nil
        if isNew, case .success = outcome { isRejected = false }
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

    private mutating func startRefreshIfNeeded() -> [Action] {
        if isRefreshing { return [] }
        lastRefreshNumber += 1
        runningRefresh = lastRefreshNumber
        return [.startRefresh(number: lastRefreshNumber)]
    }
}

extension SessionState: Sendable where Waiter: Sendable {}
extension SessionState.Waiting: Sendable where Waiter: Sendable {}
extension SessionState.Action: Sendable where Waiter: Sendable {}
