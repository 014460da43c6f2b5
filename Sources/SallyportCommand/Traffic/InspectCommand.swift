import ArgumentParser
import Sallyport

/// Runs another command and shows its requests.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Runs a command, and shows its requests on a page in the browser.",
        discussion: """
            The page is served on this computer only, at a URL with a random token, until you press Control-C. It shows attempts, \
            redirects, the changes of interceptors, the time of each phase, headers and bodies, with secrets masked.

            For example:
              sallyport inspect get https://example.com --follow 5
              sallyport inspect --har login.har login \\
                --issuer https://id.example.com --client-id cli
            """
    )

    @Option(
        help: ArgumentHelp("Also write the requests and responses to a HAR file.", valueName: "file"),
        completion: .file(extensions: ["har"])
    )
    var har: String?

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The command and its arguments.", valueName: "command")
    )
    var command: [String]

    func validate() throws {
        // The words of the command are not parsed as options of this one.
        if ["--help", "-h"].contains(command.first) { throw CleanExit.helpRequest(self) }
        guard let name = command.first else {
            throw ValidationError("inspect needs a command, as in sallyport inspect get https://example.com.")
        }
        if ["inspect", "serve"].contains(name) {
            throw ValidationError("inspect shows the requests of a client, and \(name) sends none.")
        }
    }

    func run() async throws {
        let inspect = self
        try await Interruption.cancelOnSignal {
            var parsed = try inspect.parsedCommand()
            // Commands that are not asynchronous, such as help, send nothing.
            guard var command = parsed as? any AsyncParsableCommand else { return try parsed.run() }
            let capture = try TrafficCapture(file: inspect.har, showsPage: true)
            try await TrafficRecorder.$ofNewClients.withValue(capture.recorder) {
                try await capture.run { try await command.run() }
            }
        }
    }

    /// Parses the command whose requests are shown.
    ///
    /// - Throws: ``CommandFailure`` with the message that the command has without `inspect`; the request of its help.
    func parsedCommand() throws -> any ParsableCommand {
        let arguments = try CommandArguments(command)
        do {
            return try SallyportTool.command(for: arguments.all)
        } catch {
            guard SallyportTool.exitCode(for: error) == .validationFailure else { throw error }
            throw CommandFailure(.usage, UsageMessage.text(ofUsageError: error, arguments))
        }
    }
}
