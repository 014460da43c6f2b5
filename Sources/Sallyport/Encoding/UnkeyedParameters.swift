/// Writes the elements of an array.
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
