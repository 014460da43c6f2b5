import Foundation
import SallyportJOSE

/// The configured users, and the users who have registered in a tree. Checks passwords, and locks an account after too many failures.
final class UserAccounts {
    /// The lifetime of a registered account, in seconds.
    private static let lifetime: TimeInterval = 24 * 3600
    private static let maximumNameLength = 256

    private let context: ServerContext
    private let passwords: PasswordCheck
    private let configured: [String: GatewayUser]
    private var registered = ExpiringTable<String, GatewayUser>(limit: 1000)
    /// The failed attempts to sign in of each user.
    private var logins: AttemptLimit

    init(_ context: ServerContext, passwords: PasswordCheck) {
        self.context = context
        self.passwords = passwords
        let users = context.configuration.users
        configured = Dictionary(users.map { ($0.username, $0) }) { first, _ in first }
        logins = AttemptLimit(
            limit: context.configuration.lockoutFailures,
            period: context.lifetimes.lockout,
            users: users.map(\.username)
        )
    }

    /// Returns the user with a name, or `nil`.
    func user(named username: String) -> GatewayUser? {
        configured[username] ?? registered.value(for: username, now: context.now)
    }

    /// Returns the user with a name and a password, or the reason for the failure.
    nonisolated(nonsending) func check(
        _ password: String,
        of name: String
    ) async -> Result<GatewayUser, SignInProblem> {
        guard name.utf8.count <= Self.maximumNameLength, !logins.isReached(by: name, now: context.now) else {
            return .failure(.tooMany)
        }
        let user = user(named: name)
        let isRight = await passwords.matches(password, of: user, among: context.configuration.users)
        // Checked again: parallel attempts may have reached the limit meanwhile, and no result beyond it may be revealed.
        guard !logins.isReached(by: name, now: context.now) else { return .failure(.tooMany) }
        guard isRight, let user else {
            logins.count(name, now: context.now)
            return .failure(.wrong)
        }
        logins.forget(name)
        return .success(user)
    }

    /// Returns a Boolean value that indicates whether a name can be registered.
    func isAvailable(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= Self.maximumNameLength && user(named: name) == nil
    }

    /// Registers a user for a day.
    ///
    /// - Parameters:
    ///   - name: The name for signing in.
    ///   - password: The password, of at most 1024 bytes.
    ///   - claims: The claims about the user.
    /// - Returns: `false` if the name is in use, the password is too long, or too many users have registered.
    nonisolated(nonsending) func register(_ name: String, password: String, claims: [String: JsonValue]) async -> Bool {
        guard let hash = await passwords.hash(password), isAvailable(name) else { return false }
        let now = context.now
        // Another user can register the name after a day, but a subject is never assigned again. It differs from the subjects of configured
        // users and clients.
        let subject = "\(name).\(Secret.randomName())"
        let user = GatewayUser(username: name, password: hash, subject: subject, claims: claims)
        return registered.insertNew(user, for: name, until: now + Self.lifetime, now: now)
    }
}

/// The reason why a login failed.
enum SignInProblem: Error {
    case wrong
    case tooMany

    var sentence: String {
        switch self {
        case .wrong: "The name or the password is wrong."
        case .tooMany: "There were too many attempts. Try again later."
        }
    }
}
