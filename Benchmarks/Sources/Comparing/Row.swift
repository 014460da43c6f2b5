/// The results of a client in a case: a row of the table, and an object in the JSON.
package struct Row: Sendable {
    package let name: String
    package let client: String
    package let medians: Sample
    package let rounds: Int
    package let ratio: Spread?
    package let verdicts: [Verdict]
}

extension Row: Encodable {
    private enum CodingKeys: String, CodingKey {
        case name = "case"
        case client, rounds, targets
        case ratio = "ratio_to_libcurl"
        case lowestRatio = "ratio_lowest"
        case highestRatio = "ratio_highest"
    }

    private enum TargetKeys: String, CodingKey {
        case target, value, met
    }

    package func encode(to encoder: any Encoder) throws {
        try medians.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(client, forKey: .client)
        try container.encode(rounds, forKey: .rounds)
        try container.encode(ratio?.median, forKey: .ratio)
        try container.encode(ratio?.lowest, forKey: .lowestRatio)
        try container.encode(ratio?.highest, forKey: .highestRatio)
        var targets = container.nestedUnkeyedContainer(forKey: .targets)
        for verdict in verdicts {
            var target = targets.nestedContainer(keyedBy: TargetKeys.self)
            try target.encode(verdict.target, forKey: .target)
            try target.encode(verdict.value, forKey: .value)
            try target.encode(verdict.isMet, forKey: .met)
        }
    }
}
