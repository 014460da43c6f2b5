import SallyportJOSE

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
