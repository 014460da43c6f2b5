import Foundation

/// The calls of protected resources that require the user to complete a tree first.
final class Transactions {
    private struct Transaction: Sendable {
        let sessionID: String
        let username: String
        let tree: String
        /// The method, path and query of the call. Its body is not compared.
        let call: String
        var isAuthorized = false
    }

    /// The decision about a call.
    enum Decision: Sendable {
        case allowed(username: String)
        case refused(SessionAdvice, UserSession)
    }

    private let context: ServerContext
    private var transactions = ExpiringTable<String, Transaction>(limit: 4096) { $1.username }

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Decides about a call that the user must authorize each time.
    ///
    /// - Parameters:
    ///   - call: The method, path and query of the call.
    ///   - session: The session of the call.
    ///   - id: The transaction that authorizes the call (`_txid`), if it has one.
    ///   - tree: The tree that the user must complete.
    func decide(_ call: String, by session: UserSession, transaction id: String?, tree: String) -> Decision {
        if let id, redeem(id, for: call, session: session) { return .allowed(username: session.user.username) }
        return .refused(.transaction(begin(call, session: session, tree: tree)), session)
    }

    /// Decides about a call that needs a session of a certain tree.
    func decide(by session: UserSession, tree: String) -> Decision {
        session.tree == tree
            ? .allowed(username: session.user.username) : .refused(.tree(tree, realm: session.realm), session)
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
