import Foundation

/// Who waits for which token, decided without waiting for anything.
///
/// Whoever asks gets the token that is known, if it is fresh; otherwise waits for a refresh, of which there is one at a
/// time. Each change returns what is to be done once the lock is released. Those who wait go on in the order in which
/// they came.
struct SessionState<Waiter> {
    enum Action {
        case resume(Waiter, Result<OAuthTokens, OAuthSessionError>)
        case refresh
    }

    fileprivate struct Waiting {
        let waiter: Waiter
        /// The access token that a server has rejected.
        let rejected: String?
    }

    /// The tokens that are known.
    private(set) var tokens: OAuthTokens?
    /// From when on they are no longer given without a refresh; `nil` is never.
    private var due: Date?
    /// Whether they have been rejected.
    private var isRejected = false
    private var waiting: [Int: Waiting] = [:]
    private var numbers = 0
    private(set) var isRefreshing = false

    /// The known tokens, if they are fresh and not the ones that were rejected.
    func fresh(at now: Date, rejecting rejected: String? = nil) -> OAuthTokens? {
        guard let tokens, !isRejected, tokens.accessToken != rejected else { return nil }
        if let due, now >= due { return nil }
        return tokens
    }

    /// A place in the order of those who wait.
    mutating func number() -> Int {
        numbers += 1
        return numbers
    }

    /// Gives the token, or lets the waiter wait.
    mutating func wait(_ waiter: Waiter, number: Int, rejecting rejected: String?, at now: Date) -> [Action] {
        if let tokens = fresh(at: now, rejecting: rejected) { return [.resume(waiter, .success(tokens))] }
        reject(rejected)
        waiting[number] = Waiting(waiter: waiter, rejected: rejected)
        return refreshIfNeeded()
    }

    /// Lets one go who no longer wants to wait. A refresh under way goes on, as the server may have answered already.
    mutating func leave(_ number: Int) -> Waiter? { waiting.removeValue(forKey: number)?.waiter }

    /// Has the known tokens refreshed before they are given again, if they are the ones that were rejected.
    mutating func reject(_ accessToken: String?) {
        if let accessToken, tokens?.accessToken == accessToken { isRejected = true }
    }

    /// Whether a server has rejected an access token.
    func isRejected(_ accessToken: String) -> Bool {
        isRejected && tokens?.accessToken == accessToken || waiting.values.contains { $0.rejected == accessToken }
    }

    /// Takes note of the tokens that are kept now.
    ///
    /// - Parameter due: From when on they are no longer given without a refresh.
    mutating func know(_ tokens: OAuthTokens?, due: Date?) {
        if tokens?.accessToken != self.tokens?.accessToken { isRejected = false }
        self.tokens = tokens
        self.due = due
    }

    /// Ends a refresh: all who wait go on with its outcome.
    ///
    /// - Parameter isNew: Whether the server has been asked. If not, those who know better than the store that its
    ///   token is rejected wait on.
    mutating func ended(_ outcome: Result<OAuthTokens, OAuthSessionError>, isNew: Bool) -> [Action] {
        isRefreshing = false
        if isNew, case .success = outcome { isRejected = false }
        let numbers = waiting.keys.sorted().filter { number in
            guard !isNew, case .success(let tokens) = outcome else { return true }
            return waiting[number]?.rejected != tokens.accessToken
        }
        let actions = numbers.compactMap { number in
            waiting.removeValue(forKey: number).map { Action.resume($0.waiter, outcome) }
        }
        return actions + (waiting.isEmpty ? [] : refreshIfNeeded())
    }

    private mutating func refreshIfNeeded() -> [Action] {
        if isRefreshing { return [] }
        isRefreshing = true
        return [.refresh]
    }
}

extension SessionState: Sendable where Waiter: Sendable {}
extension SessionState.Waiting: Sendable where Waiter: Sendable {}
extension SessionState.Action: Sendable where Waiter: Sendable {}
