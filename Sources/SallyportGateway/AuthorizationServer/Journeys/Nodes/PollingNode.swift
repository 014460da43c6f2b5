import SallyportJOSE

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
