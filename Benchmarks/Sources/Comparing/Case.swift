/// A comparison of clients that do the same work in the same run.
package struct Case: Sendable {
    package let name: String
    package let title: String
    package let contenders: [Contender]
    package let targets: [Target]
    package let rounds: Int
    /// The quantity that is compared.
    package let measure: Measure

    package enum Measure: String, Sendable {
        case cpu, wall
    }

    package init(
        _ name: String,
        _ title: String,
        _ contenders: [Contender],
        measure: Measure = .cpu,
        rounds: Int = 5,
        targets: [Target] = []
    ) {
        self.name = name
        self.title = title
        self.contenders = contenders
        self.measure = measure
        self.rounds = rounds
        self.targets = targets
    }

    /// Returns libcurl, Sallyport, and the other clients that support the work.
    package init(
        _ name: String,
        _ title: String,
        _ work: Work,
        _ targets: Target...,
        rounds: Int = 5,
        peers: [Peer] = []
    ) {
        self.init(
            name,
            title,
            [Contender("libcurl", .libcurl, work), Contender("sallyport", .sallyport, work)]
                + peers.map { $0.contender(for: work) },
            rounds: rounds,
            targets: targets
        )
    }

    /// Returns a Boolean value that indicates whether a pattern matches: the name, or a prefix such as `get*`.
    package func isMeant(by pattern: String) -> Bool {
        pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }
}
