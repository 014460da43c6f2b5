import Foundation

extension ParameterOptions {
    /// Returns the names and values of a value in order, without percent-encoding.
    func parameters(of value: some Encodable) throws -> [(name: String, value: String)] {
        let node = ParameterNode()
        let scope = ParameterScope(options: self)
        try ParameterEncoder(scope: scope, node: node, codingPath: []).encode(value)
        if let problem = scope.problem { throw problem }
        return try ParameterPairs(options: self).pairs(of: node, for: value)
    }
}

/// The state that the nested encoders of one value share.
final class ParameterScope {
    let options: ParameterOptions
    /// An error found in a method that cannot throw.
    var problem: EncodingError?

    init(options: ParameterOptions) {
        self.options = options
    }
}

/// An encoder that encodes a value and its nested values into a node.
struct ParameterEncoder: Encoder {
    let scope: ParameterScope
    let node: ParameterNode
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(KeyedParameters<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return UnkeyedParameters(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleParameter(encoder: self) }

    /// Encodes any value: a scalar as text, any other by its `encode(to:)`.
    func encode(_ value: some Encodable) throws {
        guard codingPath.count <= scope.options.maximumDepth else { throw tooDeep(value) }
        if let text = try ParameterText(scope.options).text(of: value, at: codingPath) { return node.set(text) }
        if value is any Unordered { node.isUnordered = true }
        try value.encode(to: self)
        // A value that encodes nothing is an object without members.
        if case .nothing = node.content { node.becomeObject() }
    }

    /// Returns the encoder for a nested value.
    func inner(_ node: ParameterNode, _ key: any CodingKey) -> ParameterEncoder {
        let inner = ParameterEncoder(scope: scope, node: node, codingPath: codingPath + [key])
        if inner.codingPath.count > scope.options.maximumDepth, scope.problem == nil {
            scope.problem = inner.tooDeep("")
        }
        return inner
    }

    private func tooDeep(_ value: Any) -> EncodingError {
        let limit = scope.options.maximumDepth
        let text = "it is more than \(limit) levels deep; if it does not contain itself, raise maximumDepth"
        // The path is as long as the value is deep, so include its start only.
        return .invalidValue(value, .init(codingPath: Array(codingPath.prefix(8)), debugDescription: text))
    }
}

/// A coding key for a position in an array.
struct PositionKey: CodingKey {
    let position: Int

    init(_ position: Int) { self.position = position }

    init?(intValue: Int) { self.init(intValue) }

    init?(stringValue: String) {
        guard let position = Int(stringValue) else { return nil }
        self.init(position)
    }

    var intValue: Int? { position }
    var stringValue: String { "\(position)" }
}

/// A type whose members have no meaningful order.
private protocol Unordered {}

extension Dictionary: Unordered {}
