import Foundation
import Sallyport
import SallyportJOSE

/// The description of a tree: nodes, and which node follows each of their outcomes.
struct JourneyTree: Sendable {
    /// A node, and the names of the nodes that follow its outcomes.
    struct Entry: Sendable {
        let node: any JourneyNode
        let next: [String: String]
    }

    /// The name of the first node.
    let start: String
    let nodes: [String: Entry]

    /// Returns the name of the node after an outcome of a node, or `success` or `failure`.
    func target(of outcome: String, at node: String) -> String? { nodes[node]?.next[outcome] }
}

/// The trees of an authorization server, in the format of `Docs/trees.md`.
///
/// ```swift
/// var configuration = try AuthorizationServerConfiguration.development()
/// configuration.trees = try JourneyTrees(json: Data(contentsOf: file))
/// ```
public struct JourneyTrees: Sendable {
    private let trees: [String: JourneyTree]

    /// Creates an empty set of trees.
    public init() {
        trees = [:]
    }

    /// Creates trees from a JSON object. Each member of the object is a tree.
    ///
    /// ```json
    /// {
    ///   "Login": {
    ///     "start": "ask",
    ///     "nodes": {
    ///       "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
    ///       "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
    ///     }
    ///   }
    /// }
    /// ```
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` with the tree and the node of the error.
    public init(json: Data) throws(GatewayError) {
        let document: JsonDocument
        do throws(JsonDocumentError) {
            document = try JsonDocument(fileContent: json)
        } catch {
            throw .invalidIdentity("\(error)")
        }
        guard let members: [String: JsonValue] = try? document.decode() else {
            throw .invalidIdentity("The trees are not a JSON object.")
        }
        guard !members.isEmpty else { throw .invalidIdentity("There is no tree in the JSON object.") }
        try self.init(members)
    }

    init(_ members: [String: JsonValue]) throws(GatewayError) {
        var trees: [String: JourneyTree] = [:]
        for (name, value) in members {
            // The name is part of header fields, XML and claims.
            guard name.wholeMatch(of: /[A-Za-z0-9._\-]{1,64}/) != nil else {
                throw .invalidIdentity(
                    "The name of the tree \"\(name.prefix(64))\" must consist of at most 64 letters, digits, dots, - and _."
                )
            }
            trees[name] = try JourneyTree(value, name: name)
        }
        self.trees = trees
    }

    /// The names of the trees, sorted.
    public var names: [String] { trees.keys.sorted() }

    subscript(_ name: String) -> JourneyTree? { trees[name] }
}

extension JourneyTrees: Decodable {
    /// Decodes trees in the format of ``init(json:)``.
    public init(from decoder: any Decoder) throws {
        try self.init([String: JsonValue](from: decoder))
    }
}

extension JourneyTree {
    fileprivate init(_ value: JsonValue, name: String) throws(GatewayError) {
        let place = "The tree \"\(name)\""
        var members = try NodeMembers(value, place: place)
        start = try members.text("start")
        var nodes: [String: Entry] = [:]
        for (nodeName, value) in try members.object("nodes") {
            nodes[nodeName] = try Entry(value, place: "\(place), node \"\(nodeName)\"")
        }
        try members.finish()
        self.nodes = nodes
        guard nodes[start] != nil else {
            throw .invalidIdentity("\(place) starts with \"\(start)\", but has no such node.")
        }
        for (nodeName, entry) in nodes.sorted(by: { $0.key < $1.key }) {
            guard !JourneyNodes.ends.contains(nodeName) else {
                throw .invalidIdentity("\(place): a node cannot have the name \"\(nodeName)\", which ends the tree.")
            }
            for target in entry.next.values.sorted() where nodes[target] == nil && !JourneyNodes.ends.contains(target) {
                throw .invalidIdentity(
                    "\(place), node \"\(nodeName)\": \"next\" leads to \"\(target)\", but there is no such node."
                )
            }
        }
        let targets = Set(nodes.values.flatMap(\.next.values) + [start])
        if let unreachable = nodes.keys.sorted().first(where: { !targets.contains($0) }) {
            throw .invalidIdentity("\(place): no node leads to \"\(unreachable)\".")
        }
    }
}

extension JourneyTree.Entry {
    fileprivate init(_ value: JsonValue, place: String) throws(GatewayError) {
        var members = try NodeMembers(value, place: place)
        node = try JourneyNodes.node(&members)
        let outcomes = node.outcomes
        if outcomes.isEmpty {
            next = [:]
        } else if outcomes == [JourneyNodes.next], value["next"]?.object != nil {
            throw .invalidIdentity("\(place) has one outcome, so \"next\" must be the name of a node.")
        } else if let target = try members.textIfPresent("next", elseObject: outcomes != [JourneyNodes.next]) {
            // One target for every outcome.
            next = Dictionary(uniqueKeysWithValues: outcomes.map { ($0, target) })
        } else {
            var targets: [String: String] = [:]
            let listed = outcomes.map { "\"\($0)\"" }.joined(separator: ", ")
            for (outcome, target) in try members.object("next") {
                guard outcomes.contains(outcome) else {
                    throw .invalidIdentity("\(place) has no outcome \"\(outcome)\". Its outcomes: \(listed).")
                }
                guard let target = target.string else {
                    throw .invalidIdentity("\(place): \"next\" must lead to the name of a node.")
                }
                targets[outcome] = target
            }
            if let missing = outcomes.first(where: { targets[$0] == nil }) {
                throw .invalidIdentity(
                    "\(place): \"next\" does not say what follows \"\(missing)\". Its outcomes: \(listed)."
                )
            }
            next = targets
        }
        try members.finish()
    }
}
