/// A container for the members of an object.
struct KeyedParameters<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {
        member(key).node.setNull()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key).encode(value)
    }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder.inner(encoder.node.addMember("super"), SuperKey())
    }

    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: Key) -> ParameterEncoder {
        encoder.inner(encoder.node.addMember(key.stringValue), key)
    }
}

// The overloads that synthesized conformances call. Each one records `nil`, which the default implementations omit.
extension KeyedParameters {
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeAny(value, key) }

    private func encodeAny(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
}

/// The key of the container that a superclass encodes itself into.
private struct SuperKey: CodingKey {
    init() {}

    init?(intValue: Int) { nil }

    init?(stringValue: String) { nil }

    var intValue: Int? { nil }
    var stringValue: String { "super" }
}

/// A container for the elements of an array.
struct UnkeyedParameters: UnkeyedEncodingContainer {
    let encoder: ParameterEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    func encodeNil() {
        element().node.setNull()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try element().encode(value)
    }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
        element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        element().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { element() }

    private func element() -> ParameterEncoder {
        let key = PositionKey(count)
        return encoder.inner(encoder.node.addElement(), key)
    }
}

/// A container for a single value.
struct SingleParameter: SingleValueEncodingContainer {
    let encoder: ParameterEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() {
        encoder.node.setNull()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.encode(value)
    }
}
