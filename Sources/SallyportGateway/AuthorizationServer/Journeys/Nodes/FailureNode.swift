/// Ends the tree with a message.
struct FailureNode: JourneyNode {
    let outcomes: [String] = []
    private let message: String
    private let url: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        message = try members.text("message", default: "Login failure")
        url = try members.text("url", default: "")
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        throw .failed(message, url: url, problem: state.problem)
    }
}
