/// The samples of a case: one per round and client.
package struct Results: Sendable {
    package let `case`: Case
    private var rounds: [[String: Sample]] = []

    package init(of case: Case) { self.case = `case` }

    package mutating func add(_ round: [String: Sample]) { rounds.append(round) }

    package func median(_ client: String, _ value: (Sample) -> Double?) -> Double? {
        Spread(rounds.compactMap { $0[client].flatMap(value) })?.median
    }

    /// Returns the ratios of the costs of two clients per round, so that conditions that slow a whole round have no effect.
    package func ratio(of client: String, to other: String) -> Spread? {
        Spread(pairs(client, other).map { $0 / $1 })
    }

    package func added(by client: String, to other: String) -> Spread? {
        Spread(pairs(client, other).map { $0 - $1 })
    }

    private func pairs(_ client: String, _ other: String) -> [(Double, Double)] {
        rounds.compactMap { round in
            guard let own = round[client], let others = round[other] else { return nil }
            return (cost(own), cost(others))
        }
    }

    private func cost(_ sample: Sample) -> Double {
        switch `case`.measure {
        case .cpu: sample.cpuMicroseconds
        case .wall: sample.wallMicroseconds
        }
    }

    /// Returns a row for each client with samples.
    package var rows: [Row] {
        `case`.contenders.compactMap { contender in
            guard let cpu = median(contender.name, \.cpuMicroseconds),
                let wall = median(contender.name, \.wallMicroseconds)
            else { return nil }
            return Row(
                name: `case`.name,
                client: contender.name,
                medians: Sample(
                    cpuMicroseconds: cpu,
                    wallMicroseconds: wall,
                    rssMB: median(contender.name, \.rssMB),
                    kibPerCall: median(contender.name, \.kibPerCall)
                ),
                rounds: rounds.count { $0[contender.name] != nil },
                ratio: contender.peer.flatMap { $0 == contender.name ? nil : ratio(of: contender.name, to: $0) },
                verdicts: `case`.targets.filter { $0.client == contender.name }.compactMap { $0.verdict(on: self) }
            )
        }
    }
}
