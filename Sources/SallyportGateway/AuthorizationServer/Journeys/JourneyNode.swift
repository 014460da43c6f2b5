import SallyportJOSE

/// A node of a tree: it asks the user, checks an answer, or decides how the tree continues.
///
/// To add a kind of node, implement this protocol (or ``AskingNode``), and add it to ``JourneyNodes/types``.
protocol JourneyNode: Sendable {
    /// The names of its outcomes. Each leads to another node, or to the end of the tree.
    var outcomes: [String] { get }

    /// Begins the node.
    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult

    /// Continues the node with the answers to the callbacks of its page.
    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult
}

/// The result of a part of a node.
enum JourneyNodeResult: Sendable {
    /// The user is shown a page.
    case ask(JourneyPage)
    /// The node has ended with an outcome.
    case outcome(String)
    /// The tree continues with the outcome `next` when the user opens a link, which is sent with a message; `nil` if there is nobody to
    /// send it to.
    case suspend(JourneyPage, MagicLinkMessage?)
}

extension JourneyNodeResult {
    /// The outcome of nodes that have only one.
    static let next = JourneyNodeResult.outcome(JourneyNodes.next)
}

extension JourneyNode {
    /// The outcomes of most nodes: only one.
    var outcomes: [String] { [JourneyNodes.next] }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        try await enter(&state, services)
    }
}

/// A node that shows callbacks and stores the answers. Several of them can share a page.
protocol AskingNode: JourneyNode {
    /// Returns the callbacks to show.
    func callbacks(_ state: JourneyState) -> [JourneyCallback]

    /// Stores the answers.
    ///
    /// - Returns: The outcome; `nil` to ask again.
    func store(_ answers: [CallbackAnswer], in state: inout JourneyState, _ services: JourneyServices) -> String?
}

extension AskingNode {
    nonisolated(nonsending) func enter(
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        .ask(JourneyPage(callbacks(state)))
    }

    nonisolated(nonsending) func resume(
        with answers: [CallbackAnswer],
        _ state: inout JourneyState,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> JourneyNodeResult {
        guard let outcome = store(answers, in: &state, services) else { return .ask(JourneyPage(callbacks(state))) }
        return .outcome(outcome)
    }
}

/// The information about the user that the nodes of a tree have collected.
struct JourneyState: Sendable {
    /// The name that the user has entered, or of the user whom a node has identified.
    var username: String?
    /// The password that the user has entered, until a node has checked or stored it.
    var password: String?
    /// The attributes for an account.
    var attributes: [String: JsonValue] = [:]
    /// The methods by which the user has authenticated (`amr`, RFC 8176).
    var methods: [String] = []
    /// The problem that a node has found, for the response if the tree fails.
    var problem: String?
    /// The parameters of the query of the current request.
    var query: [String: String] = [:]
    /// Values that the current node needs when it continues, such as a challenge. They are removed when the node ends.
    var notes: [String: JsonValue] = [:]

    /// Adds a method by which the user has authenticated.
    mutating func add(method: String) {
        if !methods.contains(method) { methods.append(method) }
    }
}
