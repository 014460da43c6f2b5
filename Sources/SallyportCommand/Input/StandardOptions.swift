import ArgumentParser

/// The options of the file that applies to all commands that send requests, for one of these commands.
struct StandardOptions {
    private let path: SubcommandPath
    private let own: DeclaredOptions
    private let arguments: [String]

    /// - Parameters:
    ///   - path: The command.
    ///   - own: The options of the command.
    ///   - arguments: The arguments of the process.
    init(for path: SubcommandPath, _ own: DeclaredOptions, _ arguments: [String]) {
        self.path = path
        self.own = own
        self.arguments = arguments
    }

    /// Options that a command shows in its help, but refuses or does not need.
    private static let unusable: [String: Set<String>] = [
        "events": ["--write-out", "--timings", "--fail-with-body"],
        "pins": ["--insecure"],
        "queue watch": unusableInQueues,
        "queue run": unusableInQueues,
    ]

    private static let unusableInQueues: Set<String> = [
        "--auth", "--bearer-file", "--cookie", "--insecure", "--netrc", "--netrc-file", "--server", "--timeout",
        "--user",
    ]

    /// Returns the options in a file that the command supports, as arguments. Options that only other commands support are ignored.
    ///
    /// So are options that have another meaning for this command than for requests, such as `login --timeout`.
    ///
    /// - Throws: ``CommandFailure`` with the line of an option that no command has.
    func arguments(of file: OptionFile) throws(CommandFailure) -> [String] {
        let isRequest = SallyportTool.sendsOneRequest(path.names) && path.names != ["events"]
        // A command such as get has the options of request, except --request.
        lazy var ofRequests = DeclaredOptions(of: AnyRequestCommand.self)
        let unusable = Self.unusable[path.names.joined(separator: " ")] ?? []
        var chosen: [String] = []
        for line in file.lines {
            if line.option == "--url" {
                if isRequest { chosen += line.arguments }
                continue
            }
            // Several flags can share a dash, as in -iL.
            let name = line.option.hasPrefix("--") ? line.option : String(line.option.prefix(2))
            guard let declared = own[name], declared.isShown else {
                if ofRequests[name] == nil, !Self.isDeclared(name) { throw Self.unknown(name, line.number, file.path) }
                continue
            }
            let isSame = isRequest || ofRequests[name] ?? declared == declared
            if isSame, declared.names.isDisjoint(with: unusable), isUsable(name) { chosen += line.arguments }
        }
        return chosen
    }

    /// Returns `false` for the authorities of `doctor` with a profile, which has its own, and for the profile with an issuer.
    private func isUsable(_ name: String) -> Bool {
        guard path.names == ["doctor"] else { return true }
        return name != (arguments.contains { $0.hasPrefix("--issuer") } ? "--profile" : "--cacert")
    }

    /// Returns a Boolean value that indicates whether any command that sends requests has an option.
    private static func isDeclared(_ name: String) -> Bool {
        func search(_ commands: [any ParsableCommand.Type]) -> Bool {
            commands.contains { command in
                let subcommands = command.configuration.subcommands
                return subcommands.isEmpty ? DeclaredOptions(of: command)[name] != nil : search(subcommands)
            }
        }
        return search(
            SallyportTool.configuration.subcommands.filter {
                SallyportTool.sendsRequests([$0.configuration.commandName ?? ""])
            }
        )
    }

    private static func unknown(_ name: String, _ line: Int, _ path: String) -> CommandFailure {
        let advice = OptionAdvice.advice(for: name, of: "request").map { "; \($0)" } ?? ""
        return CommandFailure(
            .usage,
            "the file of options \(path) is invalid: in line \(line), no command has the option \(name)\(advice)"
        )
    }
}
