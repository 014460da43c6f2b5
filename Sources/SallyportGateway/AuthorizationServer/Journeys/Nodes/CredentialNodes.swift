/// Asks for the user name.
struct UsernameNode: AskingNode {
    private let prompt: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "User Name")
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [JourneyCallback("NameCallback", [("prompt", .string(prompt))], [.text(maximum: 256, isRequired: true)])]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        state.username = answers[0].text()
        return JourneyNodes.next
    }
}

/// Asks for the password.
struct PasswordNode: AskingNode {
    private let prompt: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "Password")
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [JourneyCallback("PasswordCallback", [("prompt", .string(prompt))], [.text(isRequired: true)])]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        state.password = answers[0].text()
        return JourneyNodes.next
    }
}

/// Checks the password of the user, and locks the account after too many failures.
struct CheckPasswordNode: JourneyNode {
    let outcomes = ["true", "false"]

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        let password = state.password ?? ""
        state.password = nil
        // A failure without a name does not count.
        guard let username = state.username, !username.isEmpty else { return .outcome("false") }
        switch await services.accounts.check(password, of: username) {
        case .success:
            state.add(method: "pwd")
            return .outcome("true")
        case .failure(.wrong): return .outcome("false")
        case .failure(.tooMany): throw .locked
        }
    }
}
