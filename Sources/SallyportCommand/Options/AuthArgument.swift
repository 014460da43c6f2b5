/// The argument `--auth` or `--auth=PROFILE`. A profile must be in the same argument, because a URL may follow `--auth`.
enum AuthArgument {
    private static let name = "--auth"

    /// Returns the arguments, with the name of the default profile added to each `--auth` without a value.
    ///
    /// - Throws: A failure if the argument after `--auth` is, or can only be, the name of a profile.
    static func completed(_ arguments: some Sequence<String>) throws(CommandFailure) -> [String] {
        var completed = Array(arguments)
        for index in completed.indices.prefix(while: { completed[$0] != "--" }) where completed[index] == name {
            if let next = completed.dropFirst(index + 1).first.flatMap(ProfileName.init),
                ProfileFolder().names.contains(next) || canOnlyBeProfile("\(next)", in: completed)
            {
                throw CommandFailure(.usage, "--auth takes its profile after an equals sign; write --auth=\(next)")
            }
            completed[index] = "\(name)=\(try ProfileName.chosen(nil))"
        }
        return completed
    }

    /// Returns a Boolean value that indicates whether a word is neither the method nor the URL of a command that sends one request.
    private static func canOnlyBeProfile(_ word: String, in arguments: [String]) -> Bool {
        guard SallyportTool.sendsOneRequest(arguments), arguments.contains(where: { $0.contains("://") }) else {
            return false
        }
        let isMethod = word == word.uppercased() || SallyportTool.methodCommands.contains(word.lowercased())
        return !CommandArguments.isURL(word) && !(arguments.first == "request" && isMethod)
    }
}
