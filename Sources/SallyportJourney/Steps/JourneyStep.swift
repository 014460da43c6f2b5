import Sallyport

/// The response of a server to one request of a tree.
///
/// ```swift
/// var step = try await journey.start("Login")
/// while case .node(var node) = step {
///     node[NameCallback.self]?.name = "alice"
///     node[PasswordCallback.self]?.password = password
///     step = try await node.next()
/// }
/// ```
public enum JourneyStep: Sendable {
    /// Questions to the user.
    case node(Node)
    /// The end of the tree: the user is signed in. There is no session if the tree was started without one (`noSession`).
    case success(JourneySession?)
    /// The end of the tree: the user is not signed in. An earlier session is not affected.
    case failure(JourneyFailure)
}

/// A closure that answers the callbacks of a node, for example by asking the user.
///
/// ```swift
/// let answer: NodeHandler = { node in
///     node[PasswordCallback.self]?.password = try await askUser(node.header ?? "Password")
/// }
/// ```
public typealias NodeHandler = @Sendable (_ node: inout Node) async throws -> Void

extension JourneyStep {
    /// The maximum number of nodes that ``complete(pollingFor:answering:)`` answers.
    static let maximumNodes = 100

    /// Answers this node and all following ones with a closure, until the tree has ended. Nodes with a ``PollingWaitCallback`` are sent
    /// as by ``Node/poll(for:)``.
    ///
    /// ```swift
    /// let session = try await journey.start("Login").complete { node in
    ///     node[NameCallback.self]?.name = "alice"
    ///     node[PasswordCallback.self]?.password = password
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The maximum duration of each wait that the server demands.
    ///   - handler: A closure that answers one node.
    /// - Returns: The session; `nil` if the tree was started without one.
    /// - Throws: ``JourneyError/failed(_:)`` if the tree ends without a sign-in, ``JourneyError/suspended(_:)`` if it is
    ///   suspended, ``JourneyError/handler(_:)`` for an error of the closure, and the errors of ``Node/next()``.
    public func complete(
        pollingFor limit: Duration = .seconds(300),
        answering handler: NodeHandler
    ) async throws(JourneyError) -> JourneySession? {
        var step = self
        for _ in 0..<Self.maximumNodes {
            switch step {
            case .success(let session): return session
            case .failure(let failure): throw .failed(failure)
            case .node(var node):
                do {
                    try await handler(&node)
                } catch {
                    throw JourneyError(wrapping: error, reason: "the node could not be answered")
                }
                step = try await node[PollingWaitCallback.self] == nil ? node.next() : node.poll(for: limit)
            }
        }
        switch step {
        case .success(let session): return session
        case .failure(let failure): throw .failed(failure)
        case .node: break
        }
        throw .invalidResponse(
            NetworkFailure("the tree has not ended after \(Self.maximumNodes) nodes", advice: "check its answers")
        )
    }
}
