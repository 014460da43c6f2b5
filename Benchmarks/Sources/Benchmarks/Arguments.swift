import Comparing

/// The command line: `[--markdown] [--rounds COUNT] [--output FILE] [CASE…]`.
struct Arguments {
    var cases = allCases
    var rounds: Int?
    var printsMarkdown = false
    var lists = false
    var output = "results/latest.json"

    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: some Collection<String>) throws {
        var names: [String] = []
        var left = Array(arguments)[...]
        while let argument = left.popFirst() {
            switch argument {
            case "--markdown": printsMarkdown = true
            case "--list": lists = true
            case "--output": output = left.popFirst() ?? output
            case "--rounds":
                guard let rounds = left.popFirst().flatMap(Int.init), rounds > 0 else {
                    throw Unknown(description: "--rounds needs a number")
                }
                self.rounds = rounds
            default: names.append(argument)
            }
        }
        let known = allCases + [soak]
        if let name = names.first(where: { name in !known.contains { $0.isMeant(by: name) } }) {
            throw Unknown(description: "No case \(name); there are \(known.map(\.name).joined(separator: ", "))")
        }
        if !names.isEmpty { cases = known.filter { known in names.contains { known.isMeant(by: $0) } } }
    }
}
