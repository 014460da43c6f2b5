import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth

// The Swift blocks of the documentation of SallyportJourney that are not in the README; see ReadmeTests.

// SallyportJourney.md

private func signedIn(settings: JourneyConfiguration, client: HttpClient, password: String) async throws -> HttpClient {
    let journey = Journey(settings)
    var step = try await journey.start()
    while case .node(var node) = step {
        node[NameCallback.self]?.name = "alice"
        node[PasswordCallback.self]?.password = password
        step = try await node.next()
    }
    let api = client.authorized(by: journey.oauthSession, for: "https://api.example.com")
    return api
}

// Signing-In-with-Trees.md

private func configured(sessionFile: URL, tokenFile: URL) throws -> Journey {
    let settings = try JourneyConfiguration(
        clientID: "app",
        redirectURI: "com.example.app:/callback",
        scope: "openid profile",
        realmPath: "alpha",
        tree: "Login",
        baseURL: "https://am.example.com/am"
    )
    let journey = Journey(
        settings,
        sessionStore: FileSessionStore(at: sessionFile),
        tokenStore: FileTokenStore(at: tokenFile)
    )
    return journey
}

private func answered(
    journey: Journey,
    ask: (String) -> String,
    askHidden: (String) -> String,
    choose: (String, [String]) -> String,
    show: (String) -> Void
) async throws -> JourneyStep {
    var step = try await journey.start()
    while case .node(var node) = step {
        for index in node.callbacks.indices {
            switch node.callbacks[index] {
            case var callback as NameCallback:
                callback.name = ask(callback.prompt)
                node.callbacks[index] = callback
            case var callback as PasswordCallback:
                callback.password = askHidden(callback.prompt)
                node.callbacks[index] = callback
            case var callback as ChoiceCallback:
                try callback.select(choose(callback.prompt, callback.choices))
                node.callbacks[index] = callback
            case let callback as TextOutputCallback where callback.messageType != .script:
                show(callback.message)
            default:
                break
            }
        }
        step = try await node.next()
    }
    return step
}

private struct TerminalUser: AuthenticatorUser {
    func allows(_ operation: AuthenticatorOperation) async throws -> Bool { true }
    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) async throws -> String? { nil }
    func choose(from choices: [String]) async throws -> Int? { nil }
}

private func answeredWithPasskey(node: inout Node, file: URL, newPIN: String) async throws {
    let store = FileAuthenticatorStore(at: file, key: try .environment("PASSKEY_KEY"))
    let authenticator = SoftwareAuthenticator(store: store, owner: "alice", user: TerminalUser())
    if try await !authenticator.hasPIN() { try await authenticator.setPIN(newPIN) }
    try await node.answerPasskey(with: authenticator)
}

private func authorized(client: HttpClient, journey: Journey) -> HttpClient {
    let api = client.authorized(by: journey.oauthSession, for: "https://api.example.com")
    return api
}

private func steppedUp(client: HttpClient, journey: Journey, ask: @escaping NodeHandler) throws -> HttpClient {
    let api = try client.authorized(by: journey, for: "https://api.example.com") { node in
        try await ask(&node)
    }
    return api
}

// Push-and-One-Time-Passwords.md

private func mechanisms(file: URL) throws -> (PushClient, OneTimePasswords) {
    let store = FileMechanismStore(at: file, key: try .environment("MECHANISM_KEY"))
    let push = PushClient(store: store, owner: "alice")
    let passwords = OneTimePasswords(store: store, owner: "alice")
    return (push, passwords)
}

private func enrolled(push: PushClient, uri: String, token: String) async throws -> PushMechanism {
    let device = PushDevice(token: token, name: "laptop", type: "ios", communicationType: "apns")
    let mechanism = try await push.enroll(uri, device: device)
    return mechanism
}

private func approved(
    push: PushClient,
    jwt: String,
    messageID: String,
    ask: ([Int]) async throws -> Int,
    verifyUser: () async throws -> Void
) async throws {
    let message = try await push.receive(jwt, messageID: messageID)
    switch message.kind {
    case .approval: try await push.approve(message)
    case .numbers(let numbers): try await push.approve(message, number: try await ask(numbers))
    case .biometric:
        try await verifyUser()
        try await push.approve(message)
    }
}

private func createdPassword(passwords: OneTimePasswords) async throws {
    let account = try await passwords.add("otpauth://totp/Example:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    print(try await passwords.next(for: account.id).text)
}
