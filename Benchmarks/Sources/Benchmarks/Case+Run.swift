import Comparing

extension Case {
    /// Runs the clients in turns. Every other round goes the other way round, so that nobody always comes first.
    func run(in setting: Setting, rounds: Int) throws -> Results {
        var results = Results(of: self)
        for number in 0..<rounds {
            let taking = contenders.filter { $0.rounds > number }
            var round: [String: Sample] = [:]
            for contender in number.isMultiple(of: 2) ? taking : taking.reversed() {
                round[contender.name] = try contender.run(in: setting)
            }
            results.add(round)
        }
        return results
    }
}
