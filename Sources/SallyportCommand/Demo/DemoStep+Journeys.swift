import Foundation
import Sallyport
import SallyportGateway
import SallyportJourney
import SallyportStorage

extension DemoStep {
    static let wrongPassword = DemoStep(title: "Tree, wrong password") { stage in
        var node = try require(try await stage.journey().start("Login"), isNode: "ask for the name and password")
        node[NameCallback.self]?.name = "alice"
        node[PasswordCallback.self]?.password = "queen of hearts"
        guard case .failure(let failure) = try await node.next(), failure.kind == .wrongAnswer else {
            throw DemoMismatch(description: "expected a wrong password to be refused")
        }
        return "the tree ended with the server's message: \"\(failure.message)\""
    }

    static let sessionTokens = DemoStep(title: "Tree, session and tokens") { stage in
        let journey = try stage.journey()
        try await stage.signIn("Login", journey)
        let session = try require(try await journey.session(), "a session")
        let api = stage.client.authorized(by: journey.oauthSession, for: stage.baseURL)
        let response = try await api.request { $0.url = stage.protectedURL }
        try require(response.status == .ok, "the status 200, not \(response.status)")
        return "a \(session); the first call obtained its tokens with it, without a browser"
    }

    static let stepUp = DemoStep(title: "Protected call with step-up") { stage in
        let journey = try stage.journey()
        try await stage.signIn("Login", journey)
        let confirmations = Locked(0)
        let api = try stage.client.authorized(by: journey, for: stage.baseURL) { node in
            confirmations.withLock { $0 += 1 }
            node[PasswordCallback.self]?.password = "wonderland"
        }
        let response = try await api.request { $0.url = stage.baseURL + "/protected/transaction" }
        try require(response.status == .ok, "the status 200, not \(response.status)")
        try require(confirmations.withLock { $0 } == 1, "one confirmation")
        return "the API demanded a confirmation; after the password, the same call returned 200"
    }

    static let pushApproval = DemoStep(title: "Tree with choice and push approval") { stage in
        let push = PushAuthenticator(
            PushClient(store: MemoryMechanismStore(), owner: "alice", httpClient: stage.client),
            httpClient: stage.client,
            device: DeviceRecord(owner: "alice")
        )
        var node = try require(try await stage.answeredPassword("LoginWithPush"), isNode: "offer a choice")
        try node[ChoiceCallback.self]?.select("Push message")
        let registration = try require(try await node.next(), isNode: "register a device")
        _ = try await push.enrol(try require(registration[HiddenValueCallback.self]?.initialValue, "a code to scan"))
        node = try require(try await registration.next(), isNode: "offer a choice")
        try node[ChoiceCallback.self]?.select("Push message")
        let waiting = try require(try await node.next(), isNode: "wait for the answer")
        try await push.collect()
        let message = try require(try await push.client.pendingMessages().first, "a push message")
        try await push.client.approve(message)
        guard case .success = try await waiting.next() else {
            throw DemoMismatch(description: "expected an approved sign-in to succeed")
        }
        return "enrolled by its code, then approved \"\(message.text ?? "")\" with a signed answer"
    }

    static let passkey = DemoStep(title: "Tree, passkey") { stage in
        let authenticator = SoftwareAuthenticator(
            store: MemoryAuthenticatorStore(),
            owner: "alice",
            user: DemoUser(pin: "2580")
        )
        try await authenticator.setPIN("2580")
        var node = try require(try await stage.answeredPassword("RegisterPasskey"), isNode: "ask for a passkey")
        try await node.answerPasskey(with: authenticator)
        guard case .success = try await node.next() else {
            throw DemoMismatch(description: "expected the passkey to be registered")
        }
        node = try require(try await stage.journey().start("Passkey"), isNode: "ask for a passkey")
        try await node.answerPasskey(with: authenticator)
        guard case .success = try await node.next() else {
            throw DemoMismatch(description: "expected the passkey to be accepted")
        }
        let passkey = try require(try await authenticator.passkeys().first, "a passkey")
        return "registered, then used with its PIN to sign in as \(passkey.userName) without a name or password"
    }

    static let magicLink = DemoStep(title: "Suspended tree, resumed by link") { stage in
        var node = try require(try await stage.journey().start("MagicLink"), isNode: "ask for the name")
        node[NameCallback.self]?.name = "alice"
        let suspended = try require(try await node.next(), isNode: "be suspended")
        try require(suspended.isSuspended, "a suspended tree")
        let email = try require(await stage.identity.inbox.first, "an email")
        guard case .success = try await stage.journey().resume(url: email.link) else {
            throw DemoMismatch(description: "expected the link to complete the sign-in")
        }
        return "the link in the email to \(email.recipient) completed the sign-in"
    }
}

/// The user of the demo, who allows everything and knows the PIN.
private struct DemoUser: AuthenticatorUser {
    let pin: String

    func allows(_ operation: AuthenticatorOperation) async throws -> Bool { true }
    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) async throws -> String? { pin }
    func choose(from choices: [String]) async throws -> Int? { 0 }
}

extension DemoStage {
    /// Starts a tree, and answers its first node with name and password.
    fileprivate func answeredPassword(_ tree: String) async throws -> JourneyStep {
        var node = try require(try await journey().start(tree), isNode: "ask for the name and password")
        node[NameCallback.self]?.name = "alice"
        node[PasswordCallback.self]?.password = "wonderland"
        return try await node.next()
    }
}

/// Returns the node of a step, or fails a step of the demo if the tree has ended.
private func require(_ step: JourneyStep, isNode expectation: String) throws -> Node {
    guard case .node(let node) = step else {
        throw DemoMismatch(description: "expected the tree to \(expectation)")
    }
    return node
}
