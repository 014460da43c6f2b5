import Foundation

/// The sessions of users who have signed in with a browser.
final class BrowserSessions {
    private let context: ServerContext
    private let passwords: PasswordCheck
    private var sessions = ExpiringTable<SecretHash, BrowserSession>(limit: 4096) { $1.user.username }
    /// The failed logins of each user.
    private var logins: AttemptLimit

    init(_ context: ServerContext, passwords: PasswordCheck) {
        self.context = context
        self.passwords = passwords
        logins = AttemptLimit(limit: 10, period: 300, users: context.configuration.users.map(\.username))
    }

    /// Signs a user in with the user name and password of a form. The browser's previous session ends.
    ///
    /// - Parameters:
    ///   - form: The form of the login page.
    ///   - cookie: The cookie of the browser's previous session, if it has one.
    /// - Returns: The session and its cookie, or the reason for the failure.
    nonisolated(nonsending) func signIn(
        _ form: FormParameters,
        replacing cookie: String?
    ) async -> Result<(session: BrowserSession, cookie: String), SignInProblem> {
        let name = form["username"] ?? ""
        guard name.utf8.count <= 256, !logins.isReached(by: name, now: context.now) else { return .failure(.tooMany) }
        // Counted before the check: the check suspends, and otherwise parallel attempts could exceed the limit.
        logins.count(name, now: context.now)
        let user = context.user(named: name)
        let isRight = await passwords.matches(form["password"] ?? "", of: user, among: context.configuration.users)
        guard isRight, let user else { return .failure(.wrong) }
        logins.forget(name)
        end(cookie: cookie)
        let now = context.now
        let session = BrowserSession(id: Secret.randomName(), user: user, startedAt: now)
        let newCookie = Secret.random()
        sessions.insert(session, for: SecretHash(newCookie), until: now + context.lifetimes.session, now: now)
        return .success((session, newCookie))
    }

    /// Returns the session of a cookie, or `nil`.
    func session(_ cookie: String?) -> BrowserSession? {
        cookie.flatMap { sessions.value(for: SecretHash($0), now: context.now) }
    }

    /// Ends the session of a cookie.
    func end(cookie: String?) {
        if let cookie { sessions.remove(SecretHash(cookie)) }
    }

    /// Ends the session with an identifier (`sid`).
    func end(id: String) {
        sessions.removeAll { $0.id == id }
    }
}

/// The session of a user who has signed in with a browser. Only the hash of its cookie is stored.
struct BrowserSession: Sendable {
    /// The identifier in id_tokens (`sid`).
    let id: String
    let user: GatewayUser
    let startedAt: Date
    /// The methods by which the user authenticated (`amr`, RFC 8176).
    var authenticationMethods = ["pwd"]

    /// Returns a new grant of the user to a client.
    func grant(to client: GatewayClient, scopes: [String], nonce: String?) -> Grant {
        Grant(
            id: Secret.randomName(),
            clientID: client.id,
            username: user.username,
            subject: user.subject,
            scopes: scopes,
            nonce: nonce,
            authenticatedAt: startedAt,
            authenticationMethods: authenticationMethods,
            sessionID: id
        )
    }
}

/// The reason why a login failed.
enum SignInProblem: Error {
    case wrong
    case tooMany

    var sentence: String {
        switch self {
        case .wrong: "The name or the password is wrong."
        case .tooMany: "There were too many attempts. Try again in five minutes."
        }
    }
}
