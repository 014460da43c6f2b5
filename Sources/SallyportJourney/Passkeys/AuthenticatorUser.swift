import SallyportTransport

/// A type that asks the user about operations of a ``SoftwareAuthenticator``, for example in a terminal.
///
/// The task is cancelled when the server's time limit is reached; end the question then.
///
/// ```swift
/// struct TerminalUser: AuthenticatorUser {
///     func allows(_ operation: AuthenticatorOperation) async throws -> Bool { try await confirm("\(operation)?") }
///     func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) async throws -> String? {
///         try await readHidden("PIN (\(attemptsLeft) attempts left): ")
///     }
///     func choose(from choices: [String]) async throws -> Int? { try await select(choices) }
/// }
/// ```
public protocol AuthenticatorUser: Sendable {
    /// Asks the user to allow an operation, which is the test of user presence.
    func allows(_ operation: AuthenticatorOperation) async throws -> Bool

    /// Asks the user for the PIN, which is not shown while it is entered.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - attemptsLeft: The number of attempts that are left, including this one.
    /// - Returns: The PIN; `nil` if the user declines.
    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) async throws -> String?

    /// Asks the user to choose one of several accounts.
    ///
    /// - Parameter choices: The names of the accounts, safe to show.
    /// - Returns: The index of the choice; `nil` if the user declines.
    func choose(from choices: [String]) async throws -> Int?
}

/// An operation that the user of a ``SoftwareAuthenticator`` must allow.
public enum AuthenticatorOperation: Sendable, Hashable {
    /// Creating a passkey.
    case register(user: String, relyingPartyID: String)
    /// Signing in with a passkey.
    case authenticate(user: String, relyingPartyID: String)
    /// Binding this device to an account. The prompt is the server's text.
    case bindDevice(user: String, prompt: String)
    /// Signing with the key of this device. The prompt is the server's text.
    case signAsDevice(user: String, prompt: String)
}

extension AuthenticatorOperation: CustomStringConvertible {
    /// The operation as a phrase, safe to show on one line.
    public var description: String {
        let text =
            switch self {
            case .register(let user, let party): "create a passkey for \(user) at \(party)"
            case .authenticate(let user, let party): "sign in to \(party) as \(user)"
            case .bindDevice(let user, let prompt): "bind this device to \(user): \(prompt)"
            case .signAsDevice(let user, let prompt): "sign as this device for \(user): \(prompt)"
            }
        return VisibleText.line(text, longest: 400)
    }
}
