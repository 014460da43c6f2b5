/// Compares a parameter of the request's query with a value, for tests of clients.
struct QueryNode: JourneyNode {
    let outcomes = ["true", "false"]
    private let name: String
    private let value: String

    init(_ members: inout NodeMembers) throws(GatewayError) {
        name = try members.text("name")
        value = try members.text("value")
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        .outcome(state.query[name] == value ? "true" : "false")
    }
}
