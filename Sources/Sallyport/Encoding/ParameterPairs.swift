/// Converts an encoded value to names and values.
struct ParameterPairs {
    typealias Pair = (name: String, value: String)

    let options: ParameterOptions

    /// Returns the names and values of a node.
    ///
    /// - Parameters:
    ///   - node: The node of the encoded value.
    ///   - value: The encoded value, for the error.
    /// - Throws: `EncodingError` with the name of the parameter that cannot be encoded.
    func pairs(of node: ParameterNode, for value: Any) throws -> [Pair] {
        guard case .members = node.content else {
            throw problem("only an object has names: encode a struct, a class or a dictionary", at: "", value)
        }
        var pairs: [Pair] = []
        try add(node, named: "", to: &pairs)
        return pairs
    }

    private func add(_ node: ParameterNode, named name: String, to pairs: inout [Pair]) throws {
        switch node.content {
        case .nothing: break
        case .null: if options.nils == .empty { pairs.append((name, "")) }
        case .text(let text): pairs.append((name, text))
        case .members(let members):
            for member in options.keyOrder == .sorted || node.isUnordered ? members.sorted() : members {
                guard let inner = node.member(member) else { continue }
                try add(inner, named: self.name(of: member, in: name), to: &pairs)
            }
        case .elements(let elements): try add(elements, named: name, to: &pairs)
        }
    }

    private func add(_ elements: [ParameterNode], named name: String, to pairs: inout [Pair]) throws {
        switch options.arrays {
        case .repeated: for element in elements { try addScalar(element, named: name, to: &pairs) }
        case .brackets: for element in elements { try addScalar(element, named: name + "[]", to: &pairs) }
        case .indexed:
            for (index, element) in elements.enumerated() { try add(element, named: "\(name)[\(index)]", to: &pairs) }
        case .comma:
            var texts: [Pair] = []
            for element in elements { try addScalar(element, named: name, to: &texts) }
            if texts.contains(where: { $0.value.contains(",") }) {
                throw problem("an element contains a comma, the separator: use another array encoding", at: name)
            }
            if !elements.isEmpty { pairs.append((name, texts.map(\.value).joined(separator: ","))) }
        }
    }

    private func addScalar(_ node: ParameterNode, named name: String, to pairs: inout [Pair]) throws {
        switch node.content {
        case .members, .elements:
            throw problem("an array of objects or arrays can only be written with arrays = .indexed", at: name)
        default: try add(node, named: name, to: &pairs)
        }
    }

    private func name(of member: String, in outer: String) -> String {
        if outer.isEmpty { return member }
        return options.nesting == .dots ? "\(outer).\(member)" : "\(outer)[\(member)]"
    }

    private func problem(_ text: String, at name: String, _ value: Any = "") -> EncodingError {
        let path = name.isEmpty ? [] : [NameKey(name)]
        return .invalidValue(value, .init(codingPath: path, debugDescription: text))
    }
}

/// A coding key with any name.
package struct NameKey: CodingKey {
    package let stringValue: String

    package init(_ name: String) { stringValue = name }

    package init?(stringValue: String) { self.init(stringValue) }

    package init?(intValue: Int) { nil }

    package var intValue: Int? { nil }
}
