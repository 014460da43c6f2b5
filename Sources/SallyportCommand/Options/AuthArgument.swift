/// `--auth` and `--auth=PROFILE`: the value is in the same word or not there, so that `--auth URL` means the URL.
enum AuthArgument {
    private static let name = "--auth"

    /// The arguments with the profile named where `--auth` stands alone.
    static func completed(_ arguments: some Sequence<String>) throws(CommandFailure) -> [String] {
        var completed = Array(arguments)
        for index in completed.indices.prefix(while: { completed[$0] != "--" }) where completed[index] == name {
            completed[index] = "\(name)=\(try ProfileName.chosen(nil))"
        }
        return completed
    }
}
