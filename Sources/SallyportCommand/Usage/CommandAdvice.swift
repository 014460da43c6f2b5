/// Suggestions for the names of commands.
enum CommandAdvice {
    /// The commands for names of other programs and for common other words.
    private static let otherWords = [
        "curl": "request", "http": "request", "https": "request", "fetch": "get", "wget": "download", "dl": "download",
        "signin": "login", "sign-in": "login", "auth": "login", "authenticate": "login", "signout": "logout",
        "sign-out": "logout", "me": "whoami", "user": "whoami", "server": "serve", "run": "serve", "totp": "otp",
        "remove": "delete", "rm": "delete", "ls": "list", "sse": "events", "completion": "completions",
        "send": "request", "call": "request", "trace": "request", "version": "--version",
    ]

    /// Returns the name of a command, or an option in its place, that a user probably meant; `nil` if none is similar.
    static func nearest(to word: String, of names: [String]) -> String? {
        let word = word.lowercased()
        if let name = otherWords[word], names.contains(name) || name.hasPrefix("--") { return name }
        let limit = word.count < 4 ? 1 : 2
        let distances = names.map { ($0, EditDistance.between(word, $0)) }
        if let near = distances.min(by: { $0.1 < $1.1 }), near.1 <= limit { return near.0 }
        return word.count > 2 ? names.first { $0.hasPrefix(word) } : nil
    }
}

/// The number of insertions, deletions, replacements and transpositions of adjacent characters between two texts.
enum EditDistance {
    static func between(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for (row, character) in first.enumerated() {
            var next = [row + 1]
            for (column, other) in second.enumerated() {
                var cost = min(
                    rows[row][column + 1] + 1,
                    next[column] + 1,
                    rows[row][column] + (character == other ? 0 : 1)
                )
                if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
                    cost = min(cost, rows[row - 1][column - 1] + 1)
                }
                next.append(cost)
            }
            rows.append(next)
        }
        return rows[first.count][second.count]
    }
}
