/// Writes a value that is not made of others, or is one other.
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
