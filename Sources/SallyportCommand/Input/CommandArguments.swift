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
    private static let (flags, valueOptions) = ("ivLO46", "XdFAebcmrHuoqKw")

    /// The options whose value can be any text, also one that begins with a dash.
    private static let textOptions: Set<String> = [
        "--body", "--json", "--content-type", "--form", "--part", "--data", "--data-raw", "--data-binary",
        "--data-urlencode", "--header", "--query", "--user", "--user-agent", "--referer", "--cookie", "--range",
        "--field",
    ]

    /// Separates short options from a value in the same argument, as in `-XPOST`, and replaces each `-K file` by the options in the
    /// file.
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
                index += Self.textOptions.contains(argument) ? 2 : 1
            } else if let end = Self.endOfOptions(in: argument) {
                let value = argument[end...]
                if !value.isEmpty, value.first != "=" {
                    all[index] = String(argument[..<end])
                    all.insert(String(value), at: index + 1)
                    if all[index] == "-K" { continue }
                }
                index += value.first == "=" ? 1 : 2
            } else {
                index += 1
            }
        }
    }

    /// Returns the index after the first option with a value in a group of short options; `nil` if there is none.
    private static func endOfOptions(in argument: String) -> String.Index? {
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
