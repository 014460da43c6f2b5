/// A row of the table: clients that do the same work in the same run.
package struct Case: Sendable {
    package let name: String
    package let title: String
    package let contenders: [Contender]
    package let targets: [Target]
    package let rounds: Int
    /// What is compared.
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

    /// libcurl and Sallyport, and those of their peers that can do the same.
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

    /// Whether one who asks for `pattern` means this: by its whole name, or by its beginning, such as `get*`.
    package func isMeant(by pattern: String) -> Bool {
        pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }
}
