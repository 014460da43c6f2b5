import Foundation

/// The arguments of a run as the argument parser receives them: with the command of a URL, and the options of files.
struct CommandArguments: Sendable {
    /// The arguments after the name of the program.
    private(set) var all: [String]
    /// The files from which some of the options come.
    private(set) var files: [String] = []

    /// The command that the arguments name.
    private let path: SubcommandPath
    /// The options of the command. Reading them takes longer than parsing the arguments, so only arguments that need them do it.
    private lazy var options = {
        var options = DeclaredOptions(of: path.command ?? SallyportTool.self)
        if SallyportTool.sendsRequests(all) { options.add(OptionFile.declaration) }
        return options
    }()

    /// - Parameter arguments: The arguments of the process, without the name of the program.
    /// - Throws: ``CommandFailure`` for a file of options that cannot be used, or `--auth` before the name of a profile.
    init(_ arguments: some Sequence<String>) throws(CommandFailure) {
        all = Array(arguments)
        if Self.areOfBareURL(all) { all.insert("request", at: 0) }
        path = SubcommandPath(of: all)
        if path.command == nil { return }
        let words = all.prefix(path.names.count)
        var own = try prepared(all.dropFirst(words.count))
        if SallyportTool.sendsRequests(all), let file = try OptionFile.standard(), !file.lines.isEmpty {
            let standard = StandardOptions(for: path, options, Array(words) + own)
            own.insert(contentsOf: try prepared(standard.arguments(of: file)[...], of: file), at: 0)
        }
        all = words + own
    }

    /// Returns the arguments in a form that makes the argument parser read every value as it is meant: short options are separated from
    /// values in the same argument, as in `-XPOST`, and options are joined with values that look like options. Each `-K file` is replaced
    /// by the options in the file.
    ///
    /// - Parameter file: The file that contains the arguments.
    private mutating func prepared(
        _ arguments: ArraySlice<String>,
        of file: OptionFile? = nil
    ) throws(CommandFailure) -> [String] {
        if let file, !arguments.isEmpty { files.append(file.path) }
        guard arguments.contains(where: Self.dependsOnOptions) else { return Array(arguments) }
        var prepared: [String] = []
        var rest = arguments
        while let argument = rest.popFirst() {
            if argument == "--" { return prepared + [argument] + rest }
            guard let use = options.use(in: argument) else {
                prepared.append(argument)
                continue
            }
            if argument == AuthArgument.name {
                prepared.append(try AuthArgument.completed(before: rest.first, in: all))
                continue
            }
            guard let value = use.value.map(String.init) ?? rest.popFirst() else { return prepared + [argument] }
            if let flags = use.flags { prepared.append(String(flags)) }
            if use.declaration.names == OptionFile.declaration.names {
                if let file { throw file.namesFile }
                let file = try OptionFile(value)
                prepared += try self.prepared(file.arguments[...], of: file)
            } else {
                prepared += Self.arguments(for: use, value)
            }
        }
        return prepared
    }

    /// Returns `true` unless the argument parser reads an argument in the same way in each place.
    private static func dependsOnOptions(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), argument != "-" else { return false }
        if [AuthArgument.name, "-K"].contains(argument) || argument.hasPrefix("--config") { return true }
        let name = argument.dropFirst(argument.hasPrefix("--") ? 2 : 1)
        return name.first.map { !$0.isLetter && !$0.isNumber } ?? true || !argument.hasPrefix("--") && name.count > 1
    }

    /// Returns an option and its value as the argument parser needs them.
    private static func arguments(for use: DeclaredOptions.Use, _ value: String) -> [String] {
        let isLong = use.name.hasPrefix("--")
        // No option begins with three dashes.
        let isText = use.value != nil || use.declaration.takesAnyText || value.hasPrefix("---")
        let isJoined = isLong && use.value != nil || isText && value.hasPrefix("-") && value != "-"
        guard isJoined, let name = isLong ? use.name : use.declaration.longName else { return [use.name, value] }
        return ["\(name)=\(value)"]
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
