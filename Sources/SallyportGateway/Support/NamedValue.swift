/// A name and a value, for lists in which a name may repeat and the order counts.
struct NamedValue: Codable, Equatable, Sendable {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Splits `name=value` at the first equals sign; without one, the value is empty.
    init(_ text: some StringProtocol) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count > 1 ? String(parts[1]) : ""
    }
}
