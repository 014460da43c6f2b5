import Foundation

/// The calls of protected resources for which the user must complete a tree first.
final class Transactions {
    private struct Transaction: Sendable {
        let sessionID: String
        let username: String
        let tree: String
        /// The method and path of the call.
        let call: String
        var isAuthorized = false
    }

    /// The decision about a call.
    enum Decision: Sendable {
        case allowed(username: String)
        case refused(SessionAdvice)
    }

    private let context: ServerContext
    private let sessions: UserSessions
    private var transactions = ExpiringTable<String, Transaction>(limit: 4096) { $1.username }

    init(_ context: ServerContext, sessions: UserSessions) {
        self.context = context
        self.sessions = sessions
    }

    /// Decides about a call that the user must authorize each time.
    ///
    /// - Parameters:
    ///   - call: The method and path of the call.
    ///   - presented: The session of the call.
    ///   - id: The transaction that authorizes the call (`_txid`), if it has one.
    ///   - tree: The tree that the user must complete.
    /// - Throws: Status 401 if the call has no session.
    func decide(
        _ call: String,
        by presented: PresentedSession,
        transaction id: String?,
        tree: String
    ) throws(JourneyRefusal) -> Decision {
        guard let session = sessions.session(presented.token) else { throw .noSession }
        if let id, redeem(id, for: call, session: session) { return .allowed(username: session.user.username) }
        return .refused(.transaction(begin(call, session: session, tree: tree)))
    }

    /// Decides about a call that needs a session of a certain tree.
    ///
    /// - Throws: Status 401 if the call has no session.
    func decide(by presented: PresentedSession, tree: String) throws(JourneyRefusal) -> Decision {
        guard let session = sessions.session(presented.token) else { throw .noSession }
        return session.tree == tree ? .allowed(username: session.user.username) : .refused(.tree(tree))
    }

    private func begin(_ call: String, session: UserSession, tree: String) -> String {
        let id = Secret.randomName()
        let now = context.now
        let transaction = Transaction(sessionID: session.id, username: session.user.username, tree: tree, call: call)
        transactions.insert(transaction, for: id, until: now + context.lifetimes.transaction, now: now)
        return id
    }

    /// Returns the tree of a transaction that waits for the user of a session.
    func tree(of id: String, for session: UserSession) -> String? {
        guard let transaction = transactions.value(for: id, now: context.now), transaction.sessionID == session.id,
            !transaction.isAuthorized
        else { return nil }
        return transaction.tree
    }

    /// Authorizes a transaction.
    ///
    /// - Returns: `false` if it has expired or belongs to another session.
    func authorize(_ id: String, by session: UserSession) -> Bool {
        guard tree(of: id, for: session) != nil else { return false }
        transactions.update(id, now: context.now) { $0.isAuthorized = true }
        return true
    }

    /// Returns a Boolean value that indicates whether a call is authorized. A transaction authorizes one call.
    private func redeem(_ id: String, for call: String, session: UserSession) -> Bool {
        guard let transaction = transactions.value(for: id, now: context.now), transaction.isAuthorized,
            transaction.sessionID == session.id, transaction.call == call
        else { return false }
        transactions.remove(id)
        return true
    }
}
