import Foundation
import Sallyport
import SallyportJourney
import SallyportStorage

/// The passkeys and device keys of a profile. The user allows their use, and enters the PIN, at the terminal.
struct TerminalAuthenticator: Sendable {
    private let name: ProfileName
    private let authenticator: SoftwareAuthenticator
    private let user: TerminalUser

    /// - Parameters:
    ///   - name: The profile.
    ///   - answers: The answers of options; see ``TerminalUser``.
    init(_ name: ProfileName, answers: AnswerList) throws {
        self.name = name
        user = TerminalUser(answers: answers)
        let store = try ProfileFolder().authenticatorStore(of: name)
        authenticator = SoftwareAuthenticator(store: store, owner: name.description, user: user)
    }

    /// Creates a key or signs with one, if a node asks for it. After a wrong PIN the user is asked for the PIN again; if there is no PIN and
    /// the server requires one, the user chooses it.
    func answer(_ node: inout Node) async throws {
        defer { user.forgetAnswers() }
        while true {
            do throws(JourneyError) {
                try await node.answerPasskey(with: ReportingAuthenticator(name: name, authenticator: authenticator))
                try await node.answerDeviceKey(with: authenticator)
                return
            } catch {
                guard case .authenticator(let problem) = error else { throw error }
                switch problem.reason {
                case .noPIN: try await choosePIN()
                case .blocked:
                    throw CommandFailure(
                        .loginDenied,
                        """
                        the passkeys are blocked, because the PIN was wrong too often; remove them and the PIN with \
                        sallyport passkey remove --all\(name.option), and register again
                        """
                    )
                case .wrongPIN where TerminalPrompt.isAvailable: StandardError.print("sallyport: \(problem.failure.reason)")
                default: throw error
                }
            }
        }
    }

    private func choosePIN() async throws {
        let pin = try await user.newPIN()
        do throws(AuthenticatorError) {
            try await authenticator.setPIN(pin)
        } catch {
            guard error.reason == .invalidPIN, TerminalPrompt.isAvailable else { throw error }
            StandardError.print("sallyport: \(error)")
            try await choosePIN()
        }
    }
}

/// Tells the user that the account has a passkey already, because the server then reports only that the login has failed.
private struct ReportingAuthenticator: PasskeyAuthenticator {
    let name: ProfileName
    let authenticator: SoftwareAuthenticator

    func register(_ request: PasskeyRegistrationRequest) async throws -> PasskeyRegistration {
        do {
            return try await authenticator.register(request)
        } catch let error as PasskeyError where error == .invalidState {
            let account = VisibleText.line(request.userName, longest: 256)
            StandardError.print(
                """
                sallyport: the profile \(name) already has a passkey of \(account) at \(request.relyingPartyID); to replace it, \
                remove it first: sallyport passkey remove \(ShellText.quoted(account))\(name.option)
                """
            )
            throw error
        }
    }

    func authenticate(_ request: PasskeyAssertionRequest) async throws -> PasskeyAssertion {
        try await authenticator.authenticate(request)
    }
}

/// The user of an authenticator, at the terminal. Without a terminal, running the command allows an operation unless an answer forbids it,
/// and options contain the PIN and the account.
///
/// The answers of options are `pin`, `passkey` with yes or no, and `account`.
struct TerminalUser: AuthenticatorUser {
    /// The answers for the current node, so that the user is not asked for them again after a wrong PIN.
    private struct Given: Sendable {
        /// The PIN that the user has just chosen.
        var newPIN: String?
        /// The operation that the user has allowed.
        var operation: AuthenticatorOperation?
        /// The index of the account.
        var account: Int?
    }

    let answers: AnswerList
    private let given = Locked(Given())

    init(answers: AnswerList) {
        self.answers = answers
    }

    /// Forgets the answers for a node.
    func forgetAnswers() { given.withLock { $0 = Given() } }

    func allows(_ operation: AuthenticatorOperation) async throws -> Bool {
        // With the PIN, the user was asked when it was chosen.
        if given.withLock({ $0.newPIN != nil || $0.operation == operation }) { return true }
        let text = "\(operation)"
        var question = Question(prompt: text.prefix(1).uppercased() + text.dropFirst() + "?", names: ["passkey"])
        question.isRequired = false
        let isAllowed = try await question.confirmation(isYesDefault: true, answers) ?? true
        if isAllowed { given.withLock { $0.operation = operation } }
        return isAllowed
    }

    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) async throws -> String? {
        let chosen = given.withLock { given in
            defer { given.newPIN = nil }
            return given.newPIN
        }
        if let chosen { return chosen }
        return try await Question(prompt: "PIN of your passkeys", names: ["pin"], isHidden: true).text(answers)
    }

    func choose(from choices: [String]) async throws -> Int? {
        if let index = given.withLock({ $0.account }) { return index }
        let index = try await Question(prompt: "Which account?", names: ["account"]).choice(from: choices, answers)
        given.withLock { $0.account = index }
        return index
    }

    /// Asks for a new PIN, on a terminal twice.
    func newPIN() async throws -> String {
        let prompt = "New PIN for your passkeys, at least 4 characters"
        while true {
            let pin = try await Question(prompt: prompt, names: ["pin"], isHidden: true).text(answers) ?? ""
            let repetition =
                TerminalPrompt.isAvailable
                ? try await TerminalPrompt.line(asking: "The same PIN again: ", isHidden: true) : pin
            if pin == repetition {
                given.withLock { $0.newPIN = pin }
                return pin
            }
            StandardError.print("sallyport: the two PINs differ")
        }
    }
}
