/// The argument `--auth` or `--auth=PROFILE`. A profile must be in the same argument, because a URL may follow `--auth`.
enum AuthArgument {
    private static let name = "--auth"

    /// Returns the arguments, with the name of the default profile added to each `--auth` without a value.
    ///
    /// - Throws: A failure if the argument after `--auth` is the name of a profile.
    static func completed(_ arguments: some Sequence<String>) throws(CommandFailure) -> [String] {
        var completed = Array(arguments)
        for index in completed.indices.prefix(while: { completed[$0] != "--" }) where completed[index] == name {
            if let next = completed.dropFirst(index + 1).first.flatMap(ProfileName.init),
                ProfileFolder().names.contains(next)
            {
                throw CommandFailure(.usage, "write the name of the profile in the same argument: --auth=\(next)")
            }
            completed[index] = "\(name)=\(try ProfileName.chosen(nil))"
        }
        return completed
    }
}
