import SallyportJOSE

/// Asks for attributes of an account, and again while an answer violates a policy.
struct AttributesNode: AskingNode {
    private struct Attribute: Sendable {
        enum Kind: String, CaseIterable, Sendable {
            case string, boolean, number
        }

        let name: String
        let kind: Kind
        let prompt: String
        let policies: AttributePolicies

        init(_ members: inout NodeMembers) throws(GatewayError) {
            name = try members.text("name")
            kind = Kind(rawValue: try members.choice("kind", of: Kind.allCases.map(\.rawValue))) ?? .string
            prompt = try members.text("prompt", default: name)
            policies = try AttributePolicies(&members)
            try members.finish()
        }
    }

    private let attributes: [Attribute]

    init(_ members: inout NodeMembers) throws(GatewayError) {
        var attributes: [Attribute] = []
        for var element in try members.elements("attributes") { attributes.append(try Attribute(&element)) }
        self.attributes = attributes
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        attributes.map { attribute in
            let value = state.attributes[attribute.name]
            let outputs: [(name: String, value: JsonValue)] = [
                ("name", .string(attribute.name)), ("prompt", .string(attribute.prompt)),
                ("required", .bool(attribute.policies.isRequired)),
                ("policies", attribute.policies.description(of: attribute.name)),
                ("failedPolicies", state.failures(of: attribute.name)), ("validateOnly", false),
            ]
            switch attribute.kind {
            case .string:
                return JourneyCallback(
                    "StringAttributeInputCallback",
                    outputs + [("value", value ?? "")],
                    [.text(value: value ?? ""), .validateOnly]
                )
            case .boolean:
                return JourneyCallback(
                    "BooleanAttributeInputCallback",
                    outputs + [("value", value ?? false)],
                    [.init(.bool, value: value ?? false), .validateOnly]
                )
            case .number:
                return JourneyCallback(
                    "NumberAttributeInputCallback",
                    outputs + [("value", value ?? .null)],
                    [.init(.number, value: value ?? .null), .validateOnly]
                )
            }
        }
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        var isComplete = true
        for (attribute, answer) in zip(attributes, answers) {
            let value = answer[""] ?? .null
            let failures = attribute.policies.failures(of: value)
            state.set(failures, of: attribute.name)
            if failures.isEmpty {
                state.attributes[attribute.name] = value == .null || value == "" ? nil : value
            }
            if !failures.isEmpty || answer.bool("validateOnly") { isComplete = false }
        }
        return isComplete ? JourneyNodes.next : nil
    }
}

/// Asks for the name of a new account, which must not be in use.
struct CreateUsernameNode: AskingNode {
    private static let attribute = "userName"
    private let prompt: String
    private let policies: AttributePolicies

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "Username")
        policies = try AttributePolicies(&members)
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [
            JourneyCallback(
                "ValidatedCreateUsernameCallback",
                [
                    ("policies", policies.description(of: Self.attribute)),
                    ("failedPolicies", state.failures(of: Self.attribute)), ("validateOnly", false),
                    ("prompt", .string(prompt)),
                ],
                [.text(maximum: 256, isRequired: true), .validateOnly]
            )
        ]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        let name = answers[0].text()
        var failures = policies.failures(of: .string(name))
        if !services.accounts.isAvailable(name) { failures.append(.init("UNIQUE")) }
        state.set(failures, of: Self.attribute)
        guard failures.isEmpty else { return nil }
        state.username = name
        return answers[0].bool("validateOnly") ? nil : JourneyNodes.next
    }
}

/// Asks for the password of a new account.
struct CreatePasswordNode: AskingNode {
    private static let attribute = "password"
    private let prompt: String
    private let policies: AttributePolicies

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "Password")
        policies = try AttributePolicies(&members)
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [
            JourneyCallback(
                "ValidatedCreatePasswordCallback",
                [
                    ("echoOn", false), ("policies", policies.description(of: Self.attribute)),
                    ("failedPolicies", state.failures(of: Self.attribute)), ("validateOnly", false),
                    ("prompt", .string(prompt)),
                ],
                [.text(isRequired: true), .validateOnly]
            )
        ]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        let failures = policies.failures(of: .string(answers[0].text()))
        state.set(failures, of: Self.attribute)
        guard failures.isEmpty, !answers[0].bool("validateOnly") else { return nil }
        state.password = answers[0].text()
        return JourneyNodes.next
    }
}

/// Creates an account with the name, the password and the attributes that other nodes have asked for.
struct CreateUserNode: JourneyNode {
    let outcomes = ["created", "failed"]

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let name = state.username, let password = state.password else {
            state.problem = "The tree has not asked for a name and a password."
            return .outcome("failed")
        }
        state.password = nil
        var claims: [String: JsonValue] = [:]
        for (attribute, value) in state.attributes { claims[Self.claims[attribute] ?? attribute] = value }
        guard await services.accounts.register(name, password: password, claims: claims) else {
            state.problem = "The name is in use, or too many users have registered today."
            return .outcome("failed")
        }
        services.removeDevices(of: name)
        state.add(method: "pwd")
        return .outcome("created")
    }

    /// The claims of OpenID Connect for the names of attributes in PingAM.
    private static let claims = ["mail": "email", "givenName": "given_name", "sn": "family_name", "cn": "name"]
}

/// Asks the user to accept terms.
struct TermsNode: AskingNode {
    let outcomes = ["accepted", "declined"]
    private let version: String
    private let terms: String
    private let createDate: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        version = try members.text("version", default: "1.0")
        terms = try members.text("terms")
        createDate = try members.text("created", default: "2025-01-01T00:00:00.000Z")
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [
            JourneyCallback(
                "TermsAndConditionsCallback",
                [("version", .string(version)), ("terms", .string(terms)), ("createDate", .string(createDate))],
                [.init(.bool, value: false)]
            )
        ]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        answers[0].bool() ? "accepted" : "declined"
    }
}

/// Asks for security questions with answers (KBA). They are checked, but not stored.
struct QuestionsNode: AskingNode {
    private let prompt: String
    private let questions: [String]
    private let count: Int

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "Select a security question")
        questions = try members.texts("questions")
        count = try members.integer("count", in: 1...10, default: 1)
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        (0..<count).map { _ in
            JourneyCallback(
                "KbaCreateCallback",
                [
                    ("prompt", .string(prompt)),
                    ("predefinedQuestions", .array(questions.map { .string($0) })),
                ],
                [.text("question", isRequired: true), .text("answer", isRequired: true)]
            )
        }
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        // Each question can be used once.
        Set(answers.map { $0.text("question") }).count == answers.count ? JourneyNodes.next : nil
    }
}

extension JourneyCallback.Input {
    /// The input of a request that only checks the value.
    fileprivate static let validateOnly = JourneyCallback.Input("validateOnly", .bool, value: false)
}

extension JourneyState {
    /// Returns the failed policies of an attribute, each as JSON in a string.
    fileprivate func failures(of attribute: String) -> JsonValue { notes["failures of \(attribute)"] ?? [] }

    fileprivate mutating func set(_ failures: [AttributePolicies.Failure], of attribute: String) {
        notes["failures of \(attribute)"] = .array(failures.map { .string($0.json) })
    }
}
