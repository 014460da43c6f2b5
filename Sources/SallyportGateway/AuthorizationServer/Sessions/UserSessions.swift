import Foundation
import SallyportJOSE

/// The sessions of users who have signed in with a browser or by a tree.
///
/// A session has one token. A browser sends it in a cookie. An app can also send it in a header field. The cookie and the field have the
/// name of ``AuthorizationServerConfiguration/sessionCookie``.
final class UserSessions {
    private let context: ServerContext
    private let accounts: UserAccounts
    private var sessions = ExpiringTable<SecretHash, UserSession>(limit: 16_384) { $1.user.username }

    init(_ context: ServerContext, accounts: UserAccounts) {
        self.context = context
        self.accounts = accounts
    }

    /// Signs a user in with the user name and password of a form. The browser's previous session ends.
    ///
    /// - Parameters:
    ///   - form: The form of the login page.
    ///   - token: The token of the browser's previous session, if it has one.
    ///   - realm: The realm of the session.
    /// - Returns: The session and its token, or the reason for the failure.
    nonisolated(nonsending) func signIn(
        _ form: FormParameters,
        replacing token: String?,
        realm: String = GatewayRealm.root.name
    ) async -> Result<(session: UserSession, cookie: String), SignInProblem> {
        switch await accounts.check(form["password"] ?? "", of: form["username"] ?? "") {
        case .success(let user):
            end(token)
            let (session, token) = begin(for: user, realm: realm, authenticationMethods: ["pwd"])
            return .success((session, token))
        case .failure(let problem):
            return .failure(problem)
        }
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - user: The user who has authenticated.
    ///   - realm: The realm of the session.
    ///   - tree: The tree that the user has completed; `nil` for a login page.
    ///   - authenticationMethods: The methods by which the user authenticated.
    /// - Returns: The session and its token.
    func begin(
        for user: GatewayUser,
        realm: String,
        tree: String? = nil,
        authenticationMethods: [String]
    ) -> (session: UserSession, token: String) {
        let now = context.now
        var session = UserSession(id: Secret.randomName(), user: user, realm: realm, tree: tree, startedAt: now)
        session.authenticationMethods = authenticationMethods
        let token = Secret.random()
        sessions.insert(session, for: SecretHash(token), until: end(of: session, usedAt: now), now: now)
        return (session, token)
    }

    /// Returns the session of a token, or `nil`. Its idle time begins again.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - realm: The realm of the session; `nil` for any realm.
    func session(_ token: String?, in realm: String? = GatewayRealm.root.name) -> UserSession? {
        guard let token else { return nil }
        return use(SecretHash(token), in: realm)
    }

    /// Returns the session with an identifier (`sid`), or `nil`. Its idle time begins again. Reads all sessions.
    func session(id: String) -> UserSession? {
        sessions.keys { $0.id == id }.first.flatMap { use($0, in: nil) }
    }

    /// Returns a session, and begins its idle time again. The session of an expired account has ended, even if somebody else has registered
    /// the name since.
    private func use(_ hash: SecretHash, in realm: String?) -> UserSession? {
        let now = context.now
        guard let session = sessions.value(for: hash, now: now), realm == nil || session.realm == realm,
            accounts.user(named: session.user.username)?.subject == session.user.subject
        else { return nil }
        sessions.extend(hash, until: end(of: session, usedAt: now))
        return session
    }

    /// Ends the session of a request to log out.
    ///
    /// - Parameters:
    ///   - presented: The session in the header or cookie of the request.
    ///   - tokenID: The `tokenId` in the body, if there is one.
    ///   - realm: The realm.
    /// - Throws: Status 401 if the request has no session, or 400 if the body has the token of another one.
    func logout(_ presented: PresentedSession, tokenID: String?, realm: GatewayRealm) throws(JourneyRefusal) {
        guard let token = presented.token, session(token, in: realm.name) != nil else { throw .noSession }
        guard tokenID.map({ ConstantTime.areEqual($0.utf8, token.utf8) }) ?? true else {
            throw .badRequest("The tokenId is not the token of the session in the header or cookie.")
        }
        end(token)
    }

    /// Ends the session of a token.
    func end(_ token: String?) {
        if let token { sessions.remove(SecretHash(token)) }
    }

    /// Ends the session with an identifier (`sid`).
    func end(id: String) {
        sessions.removeAll { $0.id == id }
    }

    /// Returns the time at which a session ends if it is not used again.
    private func end(of session: UserSession, usedAt time: Date) -> Date {
        min(session.startedAt + context.lifetimes.session, time + context.lifetimes.sessionIdle)
    }
}

/// The session of a user. Only the hash of its token is stored.
struct UserSession: Sendable {
    /// The identifier in id_tokens (`sid`).
    let id: String
    let user: GatewayUser
    /// The realm that the user has signed in to, such as `/alpha`.
    var realm = GatewayRealm.root.name
    /// The tree that the user has completed; `nil` for a login page. It is the `acr` of tokens.
    var tree: String?
    let startedAt: Date
    /// The methods by which the user authenticated (`amr`, RFC 8176).
    var authenticationMethods = ["pwd"]

    /// Returns a new grant of the user to a client.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - scopes: The scopes that the user has allowed.
    ///   - nonce: The nonce of the authorization request.
    ///   - issuerPath: The path at the end of the issuer identifier of the tokens.
    func grant(to client: GatewayClient, scopes: [String], nonce: String?, issuerPath: String) -> Grant {
        Grant(
            id: Secret.randomName(),
            clientID: client.id,
            username: user.username,
            subject: user.subject,
            scopes: scopes,
            nonce: nonce,
            issuerPath: issuerPath,
            authenticatedAt: startedAt,
            authenticationMethods: authenticationMethods,
            authenticationContext: tree,
            sessionID: id
        )
    }
}
