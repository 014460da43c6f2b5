import SallyportJOSE

/// Asks the user to select one of several options, which are its outcomes.
struct ChoiceNode: AskingNode {
    private let prompt: String
    private let standard: Int
    let outcomes: [String]

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "Select one")
        outcomes = try members.texts("choices")
        let name = try members.text("default", default: outcomes[0])
        guard let standard = outcomes.firstIndex(of: name) else {
            throw members.mistake("default", "one of the choices")
        }
        self.standard = standard
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [
            JourneyCallback(
                "ChoiceCallback",
                [
                    ("prompt", .string(prompt)), ("choices", .array(outcomes.map { .string($0) })),
                    ("defaultChoice", .integer(Int64(standard))),
                ],
                [.init(.index(below: outcomes.count), value: .integer(Int64(standard)))]
            )
        ]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        outcomes[answers[0].index()]
    }
}

/// Shows a message with buttons, which are its outcomes.
struct MessageNode: AskingNode {
    private let message: String
    private let type: Int
    let outcomes: [String]

    init(_ members: inout NodeMembers) throws(GatewayError) {
        message = try members.text("message")
        type =
            ["information", "warning", "error"].firstIndex(
                of: try members.choice("kind", of: ["information", "warning", "error"])
            ) ?? 0
        outcomes = try members.texts("options", default: ["Next"])
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [.message(message, type: type), .confirmation(outcomes)]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        outcomes[answers[1].index()]
    }
}
