import Foundation
import Sallyport
import SallyportOAuth

/// A callback as it was received, and its answers. It can be answered without knowing its type.
///
/// The inputs of PingAM's callbacks are called `IDToken`, a number and a suffix, such as `IDToken2` or `IDToken2validateOnly`. Typed
/// callbacks use the suffix only. Everything except the values of answered inputs is sent back byte for byte as it was received.
///
/// ```swift
/// try node.update(RawCallback.self) { callback in
///     try callback.setInput("IDToken1", to: "42")
/// }
/// ```
public struct RawCallback: Callback {
    private struct Input: Sendable {
        let name: String
        /// The position among the inputs of the callback.
        let index: Int
    }

    /// The name of the type, such as `NameCallback`.
    public let type: String

    /// The position among the callbacks of the node.
    let position: Int

    /// The new values of inputs, by the position of the input.
    private(set) var answers: [Int: JsonDocument] = [:]

    private let outputs: [(name: String, value: JsonDocument)]
    private let inputs: [Input]
    private let received: [Int: JsonDocument]

    /// Creates a callback from its JSON object; returns `nil` if it has no type.
    init?(_ document: JsonDocument, position: Int) {
        guard let type = document["type"]?.string, !type.isEmpty else { return nil }
        self.type = type
        self.position = position
        outputs = (document["output"]?.elements ?? []).compactMap { output in
            guard let name = output["name"]?.string, let value = output["value"] else { return nil }
            return (name, value)
        }
        var inputs: [Input] = []
        var received: [Int: JsonDocument] = [:]
        for (index, input) in (document["input"]?.elements ?? []).enumerated() {
            guard let name = input["name"]?.string, let value = input["value"] else { continue }
            inputs.append(Input(name: name, index: index))
            received[index] = value
        }
        self.inputs = inputs
        self.received = received
    }

    /// Returns the callback itself.
    public init?(_ raw: RawCallback) { self = raw }

    /// The callback itself.
    public var raw: RawCallback {
        get { self }
        set { self = newValue }
    }

    /// The names of the outputs, in order.
    public var outputNames: [String] { outputs.map(\.name) }

    /// Returns the value of an output; `nil` if there is none.
    public func output(_ name: String) -> JsonDocument? { outputs.first { $0.name == name }?.value }

    // MARK: Inputs by name

    /// The names of the inputs, in order.
    public var inputNames: [String] { inputs.map(\.name) }

    /// Returns the value of an input: the answer, or else the value that the server sent.
    public func input(_ name: String) -> JsonDocument? {
        index(of: name).flatMap { answers[$0] ?? received[$0] }
    }

    /// Sets the value of an input.
    ///
    /// - Parameters:
    ///   - name: The complete name of the input, such as `IDToken1`.
    ///   - value: The value.
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if there is no such input.
    public mutating func setInput(_ name: String, to value: JsonDocument) throws(JourneyError) {
        guard let index = index(of: name) else {
            throw invalidAnswer(
                "there is no input \"\(SanitizedText.make(from: name))\"",
                advice: "its inputs are \(SanitizedText.make(from: inputNames.joined(separator: ", ")))"
            )
        }
        answers[index] = value
    }

    /// Sets the value of an input to a value encoded as JSON; see ``setInput(_:to:)-(_,JsonDocument)``.
    public mutating func setInput(_ name: String, to value: some Encodable) throws(JourneyError) {
        let document: JsonDocument
        do { document = try JsonDocument(encoding: value) } catch {
            throw invalidAnswer("a value of the type \(Swift.type(of: value)) cannot be encoded as JSON")
        }
        try setInput(name, to: document)
    }

    // MARK: Inputs by suffix

    /// Returns a Boolean value that indicates whether there is an input with the given suffix.
    ///
    /// - Parameter suffix: The text after `IDToken` and the number; empty for the main input.
    public func hasInput(_ suffix: String = "") -> Bool { index(suffix: suffix) != nil }

    /// Returns the answer for the input with the given suffix; `nil` if none was set.
    ///
    /// - Parameter suffix: The text after `IDToken` and the number; empty for the main input.
    public func answer(for suffix: String = "") -> JsonValue? {
        index(suffix: suffix).flatMap { answers[$0] }.flatMap { try? $0.decode() }
    }

    /// Sets the answer for the input with the given suffix. If there is no such input, nothing changes.
    ///
    /// - Parameters:
    ///   - value: The answer; `nil` to send the input as it was received. A number must be finite.
    ///   - suffix: The text after `IDToken` and the number; empty for the main input.
    public mutating func answer(_ value: JsonValue?, for suffix: String = "") {
        guard let index = index(suffix: suffix) else { return }
        answers[index] = value.flatMap { try? JsonDocument(encoding: $0) }
    }

    private func index(of name: String) -> Int? { inputs.first { $0.name == name }?.index }

    private func index(suffix: String) -> Int? {
        let prefix = "IDToken"
        let input = inputs.first { input in
            guard input.name.hasPrefix(prefix) else { return false }
            let rest = input.name.dropFirst(prefix.count)
            let number = rest.prefix { $0.isASCII && $0.isNumber }
            return !number.isEmpty && rest[number.endIndex...] == suffix
        }
        if input == nil, suffix.isEmpty, inputs.count == 1 { return inputs[0].index }
        return input?.index
    }
}

/// Reads values of the types that PingAM uses, and the texts that older versions send instead of them.
extension RawCallback {
    /// Returns an output as text; empty if it is neither a text nor a number.
    func text(_ name: String) -> String { output(name).flatMap { $0.string ?? $0.number } ?? "" }

    /// Returns an output as a Boolean value; `false` if it is none.
    func flag(_ name: String) -> Bool { output(name).flatMap { $0.bool ?? ($0.string == "true") } ?? false }

    /// Returns an output as an integer; `nil` if it is none.
    func integer(_ name: String) -> Int? { Int(text(name)) }

    /// Returns the texts in an output that is an array.
    func texts(_ name: String) -> [String] { output(name)?.elements?.compactMap(\.string) ?? [] }

    /// Returns an output, or the JSON in it if it is a text.
    func document(_ name: String) -> JsonDocument? {
        guard let output = output(name), let text = output.string else { return output(name) }
        return try? JsonDocument(text)
    }

    /// The text of the main input: the answer, or else the text that the server sent.
    var currentText: String {
        guard let index = index(suffix: "") else { return "" }
        return (answers[index] ?? received[index])?.string ?? ""
    }

    /// Returns the error for an impossible answer.
    func invalidAnswer(_ problem: String, advice: String? = nil) -> JourneyError {
        .invalidAnswer(NetworkFailure("the \(description) cannot be answered so: \(problem)", advice: advice))
    }
}
