/// The argument `--auth` or `--auth=PROFILE`. A profile must be in the same argument, because a URL may follow `--auth`.
enum AuthArgument {
    static let name = "--auth"

    /// Returns the argument with the name of the default profile, in place of `--auth` without a value.
    ///
    /// - Parameters:
    ///   - next: The next argument.
    ///   - arguments: All arguments.
    /// - Throws: A failure if the next argument is, or can only be, the name of a profile.
    static func completed(before next: String?, in arguments: [String]) throws(CommandFailure) -> String {
        if let next = next.flatMap(ProfileName.init),
            ProfileFolder().names.contains(next) || canOnlyBeProfile("\(next)", in: arguments)
        {
            throw CommandFailure(.usage, "--auth takes its profile after an equals sign; write --auth=\(next)")
        }
        return "\(name)=\(try ProfileName.chosen(nil))"
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
