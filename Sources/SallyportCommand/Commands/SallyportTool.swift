import ArgumentParser
import Sallyport

/// The root command.
struct SallyportTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sallyport",
        abstract: "Calls HTTP APIs with the Sallyport SDK.",
        discussion: """
            The body of a response goes to standard output: unchanged into a pipe or a file, and after the head and in a \
            readable form to a terminal. All other output goes to standard error.

            Examples:
              sallyport get https://example.com
              sallyport https://api.example.com/users -d name=Ada
              sallyport post https://api.example.com/users --json '{"name": "Ada"}'
              sallyport get https://example.com/large.iso -o large.iso --follow 5
              sallyport login --issuer https://id.example.com --client-id cli
              sallyport get https://api.example.com/me --auth
              sallyport login --journey Login --server https://am.example.com/am \\
                --client-id cli
              sallyport download https://example.com/large.iso
              sallyport upload photo=beach.jpg https://api.example.com/photos
              sallyport demo

            The exit statuses are curl's: 0 for a response with any status, 2 for a usage error, 3 for an invalid \
            URL, 6 for a host that was not found, 7 for a failed connection, 8 for an invalid response, 18 for an \
            incomplete body, 22 for a status of 400 or more with --fail, 23 for output that cannot be written, 26 for \
            input that cannot be read, 28 for a timeout, 35 for a failed TLS handshake, 47 for too many redirects, 52 for \
            no response, 56 for a broken connection, 58 for an unusable client certificate, 60 for a refused certificate, \
            61 for an invalid content coding, 63 for a response that is too large, 67 for a missing or refused login, 77 \
            for an unusable CA file, 90 for a pin mismatch, 120 for a transfer whose content differs from what was \
            announced or expected (not a status of curl), and 130 after an interrupt.
            """,
        version: versionText,
        groupedSubcommands: [
            CommandGroup(
                name: "Request",
                subcommands: [
                    MethodCommand<GetMethod>.self, MethodCommand<HeadMethod>.self, MethodCommand<PostMethod>.self,
                    MethodCommand<PutMethod>.self, MethodCommand<PatchMethod>.self, MethodCommand<DeleteMethod>.self,
                    MethodCommand<OptionsMethod>.self, AnyRequestCommand.self, EventsCommand.self,
                ]
            ),
            CommandGroup(name: "Transfer", subcommands: [DownloadCommand.self, UploadCommand.self, QueueCommand.self]),
            CommandGroup(
                name: "Login",
                subcommands: [
                    LoginCommand.self, TokenCommand.self, RefreshCommand.self, WhoamiCommand.self,
                    IntrospectCommand.self, SessionCommand.self, LogoutCommand.self, ProfilesCommand.self,
                    DoctorCommand.self,
                ]
            ),
            CommandGroup(
                name: "Authenticator",
                subcommands: [PasskeyCommand.self, PushCommand.self, OneTimePasswordCommand.self]
            ),
            CommandGroup(name: "Resource Access", subcommands: [ResourceCommand.self, DeviceCommand.self]),
            CommandGroup(
                name: "Other",
                subcommands: [
                    CacheCommand.self, InspectCommand.self, DemoCommand.self, ServeCommand.self, PinsCommand.self,
                    IntegrityCommand.self, StoreCommand.self, EnvironmentCommand.self, CompletionsCommand.self,
                ]
            ),
        ]
    )

    /// Returns `true` if the arguments begin with the name of a command that sends one request.
    static func sendsOneRequest(_ arguments: [String]) -> Bool {
        arguments.first.map { methodCommands.contains($0) || ["request", "events"].contains($0) } ?? false
    }

    /// The commands that have the name of a method in lower case.
    static let methodCommands: Set<String> = ["get", "head", "post", "put", "patch", "delete", "options"]

    /// Returns `true` if the arguments begin with the name of a command that sends requests, or with a group of such commands.
    static func sendsRequests(_ arguments: [String]) -> Bool {
        sendsOneRequest(arguments)
            || [
                "download", "upload", "queue", "login", "token", "refresh", "whoami", "introspect", "session", "logout",
                "doctor", "push", "resource", "device", "pins",
            ].contains(arguments.first)
    }

    /// The names of all commands.
    static var commandNames: Set<String> {
        Set(configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])
    }

    /// Parses the arguments after the name of the program, and returns the command to run.
    ///
    /// - Throws: An error of the argument parser, or of the command's validation, or a usage error for a `help` of an unknown command. The
    ///   argument parser would instead show the help of the command above it.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        if arguments.contains("help") {
            let path = SubcommandPath(of: arguments)
            if let topic = path.unknownTopic { throw ValidationError(UsageMessage.unknownCommand(topic, path)) }
        }
        return try commandOfSubcommand(for: arguments) ?? parseAsRoot(arguments)
    }

    /// Parses arguments that begin with the name of a subcommand, or returns `nil` if they must be parsed from the root command.
    ///
    /// The argument parser takes up much of the program's start: from the root command, it evaluates the options of the subcommand once
    /// more, and searches all commands repeatedly. The root command has no options, so valid arguments have the same values without it. Its
    /// name and version are part of help and error texts, however, so requests for help and invalid arguments are parsed from the root
    /// command.
    static func commandOfSubcommand(for arguments: [String]) -> (any ParsableCommand)? {
        guard let name = arguments.first,
            let subcommand = configuration.subcommands.first(where: { $0.configuration.commandName == name }),
            let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst()))
        else { return nil }
        // The argument parser returns its own command for help.
        return type(of: command).configuration.commandName == "help" ? nil : command
    }
}

/// The version of the command.
let sallyportVersion = NetworkConstants.sdkVersion

/// The output of `--version`: the version, and the content codings of `--compressed`.
private let versionText = """
    \(sallyportVersion)
    Content codings: \(DecodedCodings.acceptEncoding)\(DecodedCodings.added.isEmpty ? missingCodings : "")
    """
private let missingCodings = " (br and zstd need a build for Linux with --traits default,Compression)"

/// Prints a shell completion script.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a completion script for a shell.",
        discussion: "For example: sallyport completions bash > ~/.local/share/bash-completion/completions/sallyport"
    )

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    func run() {
        print(SallyportTool.completionScript(for: shell.completionShell))
        if shell == .bash { print(BashCompletion.joinedArguments, terminator: "") }
    }
}
