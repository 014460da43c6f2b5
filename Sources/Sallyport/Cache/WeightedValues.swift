import SallyportTransport

/// The members of a list such as `en;q=0.5, de`, with their weights (RFC 9110, section 12.4.2).
struct WeightedValues: Sendable, Hashable {
    /// A member of the list.
    struct Member: Sendable, Hashable {
        /// The value in lower case, without parameters.
        let value: String
        /// The weight in thousandths; 0 excludes the value.
        let weight: Int
    }

    /// The members in their order.
    let members: [Member]

    /// A Boolean value that indicates whether all weights are valid. An invalid one counts as 1.
    let isValid: Bool

    /// - Parameter fields: The values of the field.
    init(_ fields: [String]) {
        var members: [Member] = []
        var isValid = true
        for member in fields.flatMap({ $0.split(separator: ",") }) {
            let parts = member.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingBlanks() }
            let value = parts[0].lowercased()
            if value.isEmpty { continue }
            var weight: Int? = 1_000
            for parameter in parts.dropFirst() {
                let isWeight = parameter.lowercased().hasPrefix("q=")
                weight = isWeight ? Self.weight(parameter.dropFirst(2)) : nil
            }
            if weight == nil { isValid = false }
            members.append(Member(value: value, weight: weight ?? 1_000))
        }
        self.members = members
        self.isValid = isValid
    }

    /// Returns a weight in thousandths; `nil` if it is not a number from 0 to 1 with at most three decimals.
    private static func weight(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == "0" || parts[0] == "1" else { return nil }
        let decimals = parts.count > 1 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy(\.isDigit) else { return nil }
        let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        let weight = (parts[0] == "1" ? 1_000 : 0) + thousandths
        return weight <= 1_000 ? weight : nil
    }
}
