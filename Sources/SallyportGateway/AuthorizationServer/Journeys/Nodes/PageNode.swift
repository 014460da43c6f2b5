/// Shows several nodes on one page. The last one decides which node is next.
struct PageNode: JourneyNode {
    private let stage: String?
    private let header: String?
    private let description: String?
    private let nodes: [any AskingNode]
    let outcomes: [String]

    init(_ members: inout NodeMembers) throws(GatewayError) {
        stage = try members.optionalText("stage")
        header = try members.optionalText("header")
        description = try members.optionalText("description")
        var nodes: [any AskingNode] = []
        for var element in try members.elements("nodes") {
            guard let node = try JourneyNodes.node(&element) as? any AskingNode else {
                throw .invalidIdentity("\(element.place) cannot be on a page: it does not only ask the user.")
            }
            try element.finish()
            nodes.append(node)
        }
        self.nodes = nodes
        outcomes = nodes.last?.outcomes ?? []
    }

    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        .ask(page(state))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        var rest = answers[...]
        var results: [String?] = []
        for node in nodes {
            let count = node.callbacks(state).count
            results.append(node.store(Array(rest.prefix(count)), in: &state, services))
            rest = rest.dropFirst(count)
        }
        guard let last = results.last, let outcome = last, !results.contains(nil) else { return .ask(page(state)) }
        return .outcome(outcome)
    }

    private func page(_ state: JourneyState) -> JourneyPage {
        var page = JourneyPage(nodes.flatMap { $0.callbacks(state) })
        page.stage = stage
        page.header = header
        page.description = description
        return page
    }
}
