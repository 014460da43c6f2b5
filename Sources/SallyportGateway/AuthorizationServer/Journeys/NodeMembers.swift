import SallyportJOSE

/// Reads the members of a node's description, with errors that name the tree and the node.
struct NodeMembers {
    /// The tree and the node, such as `The tree "Login", node "ask"`.
    let place: String
    private let members: [String: JsonValue]
    private var known: Set<String> = []

    init(_ value: JsonValue, place: String) throws(GatewayError) {
        guard let members = value.object else { throw .invalidIdentity("\(place) is not a JSON object.") }
        self.place = place
        self.members = members
    }

    /// Returns a text.
    ///
    /// - Parameters:
    ///   - name: The name of the member.
    ///   - standard: The text if there is no such member; `nil` if the member is required.
    mutating func text(_ name: String, default standard: String? = nil) throws(GatewayError) -> String {
        guard let value = take(name) else {
            guard let standard else { throw .invalidIdentity("\(place) has no \"\(name)\".") }
            return standard
        }
        guard let text = value.string, !text.isEmpty || standard == "" else { throw mistake(name, "a text") }
        return text
    }

    /// Returns a text; `nil` if the member is an object and an object is allowed.
    mutating func textIfPresent(_ name: String, elseObject isObjectAllowed: Bool) throws(GatewayError) -> String? {
        if isObjectAllowed, members[name]?.object != nil { return nil }
        return try text(name)
    }

    mutating func optionalText(_ name: String) throws(GatewayError) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw mistake(name, "a text") }
        return text
    }

    /// Returns an integer in a range.
    mutating func integer(
        _ name: String,
        in range: ClosedRange<Int>,
        default standard: Int
    ) throws(GatewayError) -> Int {
        guard let value = take(name) else { return standard }
        guard let integer = value.integer.map(Int.init), range.contains(integer) else {
            throw mistake(name, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    mutating func optionalNumber(_ name: String) throws(GatewayError) -> Double? {
        guard let value = take(name) else { return nil }
        guard let number = value.number else { throw mistake(name, "a number") }
        return number
    }

    mutating func bool(_ name: String, default standard: Bool) throws(GatewayError) -> Bool {
        guard let value = take(name) else { return standard }
        guard let bool = value.bool else { throw mistake(name, "true or false") }
        return bool
    }

    /// Returns different texts. There must be at least one, unless a default is given.
    mutating func texts(_ name: String, default standard: [String]? = nil) throws(GatewayError) -> [String] {
        guard let value = take(name) else {
            guard let standard else { throw .invalidIdentity("\(place) has no \"\(name)\".") }
            return standard
        }
        guard let texts = value.array?.map(\.string), !texts.isEmpty, !texts.contains(nil) else {
            throw mistake(name, "an array of texts")
        }
        guard Set(texts).count == texts.count else { throw mistake(name, "an array of different texts") }
        return texts.compactMap(\.self)
    }

    /// Returns one of some texts.
    mutating func choice(_ name: String, of options: [String]) throws(GatewayError) -> String {
        let text = try text(name, default: options[0])
        guard options.contains(text) else {
            throw mistake(name, "one of " + options.map { "\"\($0)\"" }.joined(separator: ", "))
        }
        return text
    }

    mutating func object(_ name: String, default standard: [String: JsonValue]? = nil) throws(GatewayError) -> [String:
        JsonValue]
    {
        guard let value = take(name) else {
            guard let standard else { throw .invalidIdentity("\(place) has no \"\(name)\".") }
            return standard
        }
        guard let object = value.object else { throw mistake(name, "an object") }
        return object
    }

    /// Returns readers for the objects of an array.
    mutating func elements(_ name: String) throws(GatewayError) -> [NodeMembers] {
        guard let values = take(name)?.array, !values.isEmpty else { throw mistake(name, "an array of objects") }
        var elements: [NodeMembers] = []
        for (index, value) in values.enumerated() {
            elements.append(try NodeMembers(value, place: "\(place), \"\(name)\"[\(index)]"))
        }
        return elements
    }

    /// Checks that no member is left.
    func finish() throws(GatewayError) {
        if let unknown = members.keys.filter({ !known.contains($0) }).sorted().first {
            let names = known.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            throw .invalidIdentity("\(place): \"\(unknown)\" is unknown. Known members: \(names).")
        }
    }

    /// Returns the error for a member with a wrong value.
    func mistake(_ name: String, _ expected: String) -> GatewayError {
        .invalidIdentity("\(place): \"\(name)\" must be \(expected).")
    }

    private mutating func take(_ name: String) -> JsonValue? {
        known.insert(name)
        return members[name]
    }
}
