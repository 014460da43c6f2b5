/// Writes the members of an object.
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

// Those that the compiler writes into types; each is there so that `nil` can be told from nothing.
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

/// The key of what a superclass encodes, if it does so apart.
private struct SuperKey: CodingKey {
    init() {}

    init?(intValue: Int) { nil }

    init?(stringValue: String) { nil }

    var intValue: Int? { nil }
    var stringValue: String { "super" }
}
