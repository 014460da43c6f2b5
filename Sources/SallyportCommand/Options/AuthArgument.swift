/// `--auth` and `--auth=PROFILE`: the value is in the same word or not there, so that `--auth URL` means the URL.
enum AuthArgument {
    private static let name = "--auth"

    /// The arguments with the profile named where `--auth` stands alone.
    ///
    /// - Throws: A failure if a profile's name stands in a word of its own behind it.
    static func completed(_ arguments: some Sequence<String>) throws(CommandFailure) -> [String] {
        var completed = Array(arguments)
        for index in completed.indices.prefix(while: { completed[$0] != "--" }) where completed[index] == name {
            if let next = completed.dropFirst(index + 1).first.flatMap(ProfileName.init),
                ProfileFolder().names.contains(next)
            {
                throw CommandFailure(.usage, "a profile's name stands in the same word: --auth=\(next)")
            }
            completed[index] = "\(name)=\(try ProfileName.chosen(nil))"
        }
        return completed
    }
}
