import Comparing

extension Case {
    /// Runs the clients in turn. Every other round has the reverse order, so that no client always runs first. A client that
    /// fails has no sample of that round.
    func run(in setting: Setting, rounds: Int, failed: (any Error) -> Void) -> Results {
        var results = Results(of: self)
        for number in 0..<rounds {
            let taking = contenders.filter { $0.rounds > number }
            var round: [String: Sample] = [:]
            for contender in number.isMultiple(of: 2) ? taking : taking.reversed() {
                do {
                    round[contender.name] = try contender.run(in: setting)
                } catch {
                    failed(error)
                }
            }
            results.add(round)
        }
        return results
    }
}
