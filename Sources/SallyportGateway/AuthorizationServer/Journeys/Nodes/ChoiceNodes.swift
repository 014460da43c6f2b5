import SallyportJOSE

/// Asks the user to select one of several options, which are its outcomes.
struct ChoiceNode: AskingNode {
    private let prompt: String
    private let standard: Int
    let outcomes: [String]

    init(_ members: inout NodeMembers) throws(GatewayError) {
        prompt = try members.text("prompt", default: "Select one")
        outcomes = try members.texts("choices").uniqued
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
        outcomes = try members.texts("options", default: ["Next"]).uniqued
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] {
        [.message(message, type: type), .confirmation(outcomes)]
    }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        outcomes[answers[1].index()]
    }
}

/// Asks the client to wait several times before the tree continues.
struct PollingNode: AskingNode {
    private let message: String
    private let wait: Int
    private let polls: Int

    init(_ members: inout NodeMembers) throws(GatewayError) {
        message = try members.text("message", default: "Please wait.")
        wait = try members.integer("wait", in: 1...60_000, default: 1000)
        polls = try members.integer("polls", in: 1...100, default: 1)
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] { [.wait(wait, message: message)] }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        let count = (state.notes["polls"]?.integer ?? 0) + 1
        state.notes["polls"] = .integer(count)
        return count < polls ? nil : JourneyNodes.next
    }
}

/// Shows callbacks as they are in the description of the tree, for tests of clients. Any answer is accepted.
struct CallbacksNode: AskingNode {
    private let shown: [JourneyCallback]

    init(_ members: inout NodeMembers) throws(GatewayError) {
        var shown: [JourneyCallback] = []
        for var element in try members.elements("callbacks") {
            let type = try element.text("type")
            let outputs = try element.object("output", default: [:]).sorted { $0.key < $1.key }
            let inputs = try element.object("input", default: [:]).sorted { $0.key < $1.key }
            try element.finish()
            shown.append(
                JourneyCallback(
                    type,
                    outputs.map { ($0.key, $0.value) },
                    inputs.map { JourneyCallback.Input($0.key, .any, value: $0.value) }
                )
            )
        }
        self.shown = shown
    }

    func callbacks(_ state: JourneyState) -> [JourneyCallback] { shown }

    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String? {
        JourneyNodes.next
    }
}
