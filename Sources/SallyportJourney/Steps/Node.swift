import Foundation
import Sallyport
import SallyportOAuth

/// Questions to the user: one step of a tree.
///
/// Set the answers of its callbacks, and send them with ``next()``. Each node can be sent once. A node is a value: changes of a copy do
/// not affect others, but if one of them is sent, all are.
///
/// ```swift
/// node[NameCallback.self]?.name = "alice"
/// try node.update(StringAttributeInputCallback.self, where: { $0.name == "mail" }) { callback in
///     try callback.setValue("alice@example.com")
/// }
/// let step = try await node.next()
/// ```
public struct Node: Sendable {
    /// The name of the stage, with which an app can choose the appearance of the node; `nil` if there is none.
    public let stage: String?

    /// The heading; `nil` if there is none.
    public let header: String?

    /// The text below the heading, in the server's member `description`; `nil` if there is none.
    public let descriptionText: String?

    /// The callbacks, in the order of the server. Their number and order must not be changed.
    public var callbacks: [any Callback]

    /// The node as it was received.
    let document: JsonDocument
    /// The number of the node in its run.
    let number: Int
    let run: JourneyRun

    /// The maximum number of callbacks.
    static let maximumCallbacks = 100

    /// Creates a node from a response.
    ///
    /// - Throws: ``JourneyError/invalidResponse(_:)``.
    init(_ document: JsonDocument, callbacks: [JsonDocument], number: Int, run: JourneyRun) throws(JourneyError) {
        guard callbacks.count <= Self.maximumCallbacks else {
            throw .invalidResponse(
                NetworkFailure("a node has \(callbacks.count) callbacks, and the maximum is \(Self.maximumCallbacks)")
            )
        }
        self.callbacks = []
        for (position, callback) in callbacks.enumerated() {
            guard let raw = RawCallback(callback, position: position) else {
                throw .invalidResponse(NetworkFailure("the callback \(position) of a node has no type"))
            }
            self.callbacks.append(run.journey.callbackTypes.typed(raw))
        }
        stage = document["stage"]?.string
        header = document["header"]?.string
        descriptionText = document["description"]?.string
        self.document = document
        self.number = number
        self.run = run
    }

    /// The first callback of a type; `nil` if there is none. Setting `nil` has no effect.
    public subscript<Type: Callback>(_ type: Type.Type) -> Type? {
        get { callbacks.lazy.compactMap { $0 as? Type }.first }
        set {
            guard let newValue, let index = callbacks.firstIndex(where: { $0 is Type }) else { return }
            callbacks[index] = newValue
        }
    }

    /// Changes all callbacks of a type that meet a condition.
    ///
    /// - Parameters:
    ///   - type: The type of the callbacks.
    ///   - isWanted: The condition; by default all are changed.
    ///   - change: A closure that changes a callback.
    /// - Throws: The error that the closure throws.
    public mutating func update<Type: Callback, Failure: Error>(
        _ type: Type.Type,
        where isWanted: (Type) -> Bool = { _ in true },
        _ change: (inout Type) throws(Failure) -> Void
    ) throws(Failure) {
        for index in callbacks.indices {
            guard var callback = callbacks[index] as? Type, isWanted(callback) else { continue }
            try change(&callback)
            callbacks[index] = callback
        }
    }

    /// A Boolean value that indicates whether the tree is suspended: the user continues it with a link that the server has sent; see
    /// ``Journey/resume(url:)``.
    public var isSuspended: Bool { self[SuspendedTextOutputCallback.self] != nil }

    /// Sends the answers, and returns the next step.
    ///
    /// After an error, and after a failure of the kind ``JourneyFailure/Kind/server`` or ``JourneyFailure/Kind/refused``, the node can be sent
    /// again, with other answers if necessary. If only the session could not be stored, it is stored then, and nothing is sent.
    ///
    /// - Throws: ``JourneyError/missingAnswer(_:)``, ``JourneyError/alreadyAnswered(_:)``, ``JourneyError/outOfOrder(_:)`` and
    ///   ``JourneyError/suspended(_:)`` before anything is sent; ``JourneyError/network(_:)``;
    ///   ``JourneyError/invalidResponse(_:)``; ``JourneyError/store(_:)`` if the session could not be stored.
    public func next() async throws(JourneyError) -> JourneyStep {
        try await run.answer(self)
    }

    /// Waits as the server demands and sends the node, until the server sends another node or the tree ends.
    ///
    /// The other node may demand to wait as well, for example for the answer to a push message after the registration of a device. Show
    /// its texts before polling again. A node without a ``PollingWaitCallback`` is returned at once.
    ///
    /// ```swift
    /// if node[PollingWaitCallback.self] != nil { step = try await node.poll(for: .seconds(120)) }
    /// ```
    ///
    /// - Parameter limit: The maximum duration.
    /// - Throws: ``JourneyError/network(_:)`` with `NetworkError.timeout` when the limit is reached, and the errors of
    ///   ``next()``. A cancelled task stops waiting at once.
    public func poll(for limit: Duration = .seconds(300)) async throws(JourneyError) -> JourneyStep {
        // An option that the user has selected ends the wait.
        if self[ConfirmationCallback.self]?.selectedIndex != nil { return try await next() }
        let clock = run.journey.clock
        let end = clock.now() + limit
        var node = self
        while let callback = node[PollingWaitCallback.self] {
            let left = end - clock.now()
            // The server, which may demand no wait, is asked ten times per second at most.
            let wait = max(callback.waitTime, .milliseconds(100))
            do {
                try await clock.sleep(max(.zero, min(wait, left)))
            } catch {
                throw .network(.cancelled("the task was cancelled while it waited for the server"))
            }
            if wait > left {
                throw .network(
                    .timeout(
                        NetworkFailure(
                            "the tree still waits after \(Quantity.time(limit))",
                            advice: "poll again, or start again"
                        )
                    )
                )
            }
            let step = try await node.next()
            guard case .node(let following) = step, following.content == content else { return step }
            node = following
        }
        return .node(node)
    }

    /// The texts and callbacks as they were received, except the times to wait.
    private var content: [String] {
        let received = document["callbacks"]?.elements ?? []
        return [header ?? "", descriptionText ?? ""]
            + zip(callbacks, received).map { ($0 as? PollingWaitCallback)?.message ?? $1.text }
    }
}

extension Node {
    /// Returns the node with the answers of its callbacks. All other bytes are as they were received.
    ///
    /// - Throws: ``JourneyError/invalidAnswer(_:)``, ``JourneyError/missingAnswer(_:)``, ``JourneyError/suspended(_:)``.
    func answered() throws(JourneyError) -> JsonDocument {
        guard callbacks.indices.allSatisfy({ callbacks[$0].raw.position == $0 }),
            callbacks.count == document["callbacks"]?.elements?.count
        else {
            throw .invalidAnswer(
                NetworkFailure(
                    "the callbacks of a node were added, removed or moved",
                    advice: "change only their answers"
                )
            )
        }
        if isSuspended || document["authId"] == nil {
            throw .suspended(
                NetworkFailure("the tree is suspended", advice: "continue it with the link that the server has sent")
            )
        }
        // The options of a node that waits end the wait, and are not required.
        let isPolling = self[PollingWaitCallback.self] != nil
        for callback in callbacks where !(isPolling && callback is ConfirmationCallback) {
            guard let missing = callback.missingAnswer else { continue }
            throw .missingAnswer(
                NetworkFailure(
                    "\(SanitizedText.make(from: missing)) is missing",
                    advice: "set it and send the node again"
                )
            )
        }
        var answered = document
        for callback in callbacks.map(\.raw) {
            for (input, value) in callback.answers {
                let path: [JsonDocument.Step] = [
                    "callbacks", .element(callback.position), "input", .element(input), "value",
                ]
                do throws(JsonDocumentError) {
                    try answered.replace(path, with: value)
                } catch {
                    throw .invalidAnswer(NetworkFailure("an answer cannot be sent: \(error)"))
                }
            }
        }
        return answered
    }
}

extension Node: CustomStringConvertible, CustomReflectable {
    /// The types of the callbacks, without outputs and answers.
    public var description: String { "node (\(callbacks.map(\.description).joined(separator: ", ")))" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["node": description], displayStyle: .struct) }
}
