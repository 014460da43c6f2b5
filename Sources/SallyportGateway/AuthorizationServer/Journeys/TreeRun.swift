/// A run of a tree for one user. It is a value and a state machine: the current node decides by its outcome which node is next.
struct TreeRun: Sendable {
    /// The result of a request.
    enum Step: Sendable {
        /// The user is shown a page.
        case page(JourneyPage)
        /// The user is shown a page, and the tree continues when the user opens a link.
        case suspended(JourneyPage, MagicLinkMessage?)
        /// The tree has succeeded.
        case success
        /// The tree has failed.
        case failure(JourneyRefusal)
    }

    /// The maximum number of nodes for a request. It ends trees whose nodes lead to each other without asking the user.
    private static let maximumNodes = 100

    let tree: JourneyTree
    var state = JourneyState()
    /// The page that waits for an answer.
    private(set) var page: JourneyPage?
    private var node: String
    private var isSuspended = false

    init(_ tree: JourneyTree, state: JourneyState = JourneyState()) {
        self.tree = tree
        self.state = state
        node = tree.start
    }

    /// Begins the tree.
    nonisolated(nonsending) mutating func start(_ services: JourneyServices) async -> Step {
        do throws(JourneyRefusal) {
            return try await follow(try await current.enter(&state, services), services)
        } catch {
            return .failure(error)
        }
    }

    /// Continues the tree with the answers to its page. The page of a suspended tree is shown again.
    nonisolated(nonsending) mutating func answer(_ answers: [CallbackAnswer], _ services: JourneyServices) async -> Step
    {
        if isSuspended, let page { return .page(page) }
        state.problem = nil
        do throws(JourneyRefusal) {
            return try await follow(try await current.resume(with: answers, &state, services), services)
        } catch {
            return .failure(error)
        }
    }

    /// Continues the tree after the user has opened the link of its suspension.
    nonisolated(nonsending) mutating func resume(_ services: JourneyServices) async -> Step {
        isSuspended = false
        state.add(method: "mca")
        do throws(JourneyRefusal) {
            return try await follow(.next, services)
        } catch {
            return .failure(error)
        }
    }

    /// The current node.
    private var current: any JourneyNode {
        get throws(JourneyRefusal) {
            guard let entry = tree.nodes[node] else {
                throw JourneyRefusal(status: .internalServerError, message: "The tree has no node.")
            }
            return entry.node
        }
    }

    /// Enters nodes until one asks the user or the tree ends.
    ///
    /// - Parameter result: The result of the current node.
    private nonisolated(nonsending) mutating func follow(
        _ result: JourneyNodeResult,
        _ services: JourneyServices
    ) async throws(JourneyRefusal) -> Step {
        var result = result
        for _ in 0..<Self.maximumNodes {
            switch result {
            case .ask(let page):
                self.page = page
                return .page(page)
            case .suspend(let page, let message):
                self.page = page
                isSuspended = true
                return .suspended(page, message)
            case .outcome(let outcome):
                state.notes = [:]
                switch tree.target(of: outcome, at: node) {
                case JourneyNodes.success: return .success
                case let next? where next != JourneyNodes.failure: node = next
                default: throw .failed(problem: state.problem)
                }
                result = try await current.enter(&state, services)
            }
        }
        throw JourneyRefusal(
            status: .internalServerError,
            message: "The tree visits more than \(Self.maximumNodes) nodes without asking the user."
        )
    }
}
