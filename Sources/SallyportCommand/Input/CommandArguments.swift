import Foundation

/// The arguments of a run as the argument parser receives them: with the command of a URL, and the options of files.
struct CommandArguments: Sendable {
    /// The arguments after the name of the program.
    private(set) var all: [String]
    /// The files from which some of the options come.
    private(set) var files: [String] = []

    /// - Parameter arguments: The arguments of the process, without the name of the program.
    /// - Throws: ``CommandFailure`` for a file of options that cannot be used, or `--auth` before the name of a profile.
    init(_ arguments: some Sequence<String>) throws(CommandFailure) {
        all = Array(arguments)
        if Self.areOfBareURL(all) { all.insert("request", at: 0) }
        if SallyportTool.sendsRequests(all) {
            try expandOptions()
            let path = SubcommandPath(of: all)
            if let file = try OptionFile.standard() {
                let options = try StandardOptions(for: path, all).arguments(of: file)
                insert(options, of: file, at: path.names.count)
            }
        }
        all = try AuthArgument.completed(all)
    }

    /// The letters of options without and with a value, of which several can share a dash, as in `-iXPOST`.
    private static let (flags, valueOptions) = ("ivLO46", "XdFAebcmrHuoKw")

    /// The options whose value can be any text, even one that begins with a dash. Short options are listed by their letters.
    private static let (textLetters, textOptions): (String, Set<String>) = (
        "dFAebrHuw",
        [
            "--body", "--json", "--content-type", "--form", "--field", "--data", "--data-raw", "--data-binary",
            "--data-urlencode", "--header", "--query", "--parameter", "--user", "--user-agent", "--referer", "--cookie",
            "--range", "--write-out", "--answer", "--last-event-id",
        ]
    )

    /// Separates short options from a value in the same argument, as in `-XPOST`, joins long options with a value that begins with two
    /// dashes, and replaces each `-K file` by the options in the file.
    private mutating func expandOptions() throws(CommandFailure) {
        // These commands have an option --config of their own.
        let isConfigOwn = ["resource", "device"].contains(all.first)
        var index = 1
        while index < all.count, all[index] != "--" {
            let argument = all[index]
            if argument == "-K" || argument == "--config" && !isConfigOwn {
                guard index + 1 < all.count else { return }
                try replace(index...index + 1, byOptionsIn: all[index + 1], &index)
            } else if argument.hasPrefix("--config="), !isConfigOwn {
                try replace(index...index, byOptionsIn: String(argument.dropFirst("--config=".count)), &index)
            } else if argument.hasPrefix("--") {
                index += join(index) || !Self.textOptions.contains(argument) ? 1 : 2
            } else if let end = Self.endOfOptions(in: argument) {
                let value = argument[end...]
                if !value.isEmpty {
                    all[index] = String(argument[..<end])
                    all.insert(String(value), at: index + 1)
                    if all[index] == "-K" { continue }
                }
                index += join(index) ? 1 : 2
            } else {
                index += 1
            }
        }
    }

    /// Joins an option with the next argument, if that is its value and begins with two dashes. The argument parser would take such a
    /// value for an option, or refuse it. The last letter of several short options becomes an option of its own.
    ///
    /// - Returns: `true` if the option and its value are the argument at the index.
    private mutating func join(_ index: Int) -> Bool {
        guard index + 1 < all.count, all[index + 1].hasPrefix("--") else { return false }
        let (option, value) = (all[index], all[index + 1])
        let letter = option.hasPrefix("--") ? nil : option.last
        let isText = letter.map(Self.textLetters.contains) ?? Self.textOptions.contains(option)
        // Text for any option can have three dashes, as in a boundary or in PEM; an option has two.
        guard isText || value.hasPrefix("---"), let command = SubcommandPath(of: all).command,
            let declared = DeclaredOptions(of: command)[letter.map { "-\($0)" } ?? option], !declared.isFlag,
            let name = declared.names.first(where: { $0.hasPrefix("--") })
        else { return false }
        let flags = letter == nil || option.count == 2 ? [] : [String(option.dropLast())]
        all.replaceSubrange(index...index + 1, with: flags + ["\(letter == nil ? option : name)=\(value)"])
        return flags.isEmpty
    }

    /// Returns the index after the first option with a value in a group of short options; `nil` if there is none.
    static func endOfOptions(in argument: String) -> String.Index? {
        guard argument.hasPrefix("-"), let letter = argument.dropFirst().firstIndex(where: { !flags.contains($0) }),
            valueOptions.contains(argument[letter])
        else { return nil }
        return argument.index(after: letter)
    }

    private mutating func replace(
        _ range: ClosedRange<Int>,
        byOptionsIn path: String,
        _ index: inout Int
    ) throws(CommandFailure) {
        let file = try OptionFile(path)
        all.removeSubrange(range)
        insert(file.arguments, of: file, at: index)
        index += file.arguments.count
    }

    private mutating func insert(_ options: [String], of file: OptionFile, at index: Int) {
        if options.isEmpty { return }
        all.insert(contentsOf: options, at: index)
        files.append(file.path)
    }

    /// Returns a Boolean value that indicates whether arguments without the name of a command describe a request, as in
    /// `sallyport https://example.com` and `sallyport -d a=b localhost:8080`.
    static func areOfBareURL(_ arguments: [String]) -> Bool {
        guard let first = arguments.first, !SallyportTool.sendsOneRequest(arguments) else { return false }
        if !first.hasPrefix("-") {
            let isMethod = first.allSatisfy { $0.isASCII && $0.isUppercase } && first.count > 2 && arguments.count > 1
            return isMethod || isURL(first)
        }
        let names = SallyportTool.commandNames
        let rest = arguments.prefix { $0 != "--" }
        return !rest.contains { names.contains($0) } && rest.contains { $0.contains("://") || isLoopback($0) }
    }

    /// Returns a Boolean value that indicates whether a text is meant as a URL. The names of commands are not.
    static func isURL(_ text: String) -> Bool {
        text.contains { ".:/[".contains($0) } && !text.contains(" ") || isLoopback(text)
    }

    private static func isLoopback(_ text: String) -> Bool { RequestURL(text).text.hasPrefix("http://") }
}
