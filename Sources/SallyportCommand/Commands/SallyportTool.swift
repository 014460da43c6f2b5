import ArgumentParser

/// The command itself, which only leads to its subcommands.
struct SallyportTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sallyport",
        abstract: "Calls HTTP APIs with the Sallyport SDK.",
        discussion: """
            The body of a response goes to standard output, byte for byte (on a terminal, with control characters escaped); \
            everything else to standard error.

            Examples:
              sallyport get https://example.com
              sallyport post https://api.example.com/users --json '{"name": "Ada"}'
              sallyport get https://example.com/large.iso -o large.iso --follow 5
              sallyport login --issuer https://id.example.com --client-id cli
              sallyport get https://api.example.com/me --auth
              sallyport download https://example.com/large.iso
              sallyport upload photo=beach.jpg https://api.example.com/photos
              sallyport demo

            Exit statuses are those of curl: 0 for a response of any status, 2 for wrong usage, 3 for a URL that \
            cannot be used, 6 for a host that was not found, 7 for no connection, 8 for a reply that is not HTTP, \
            18 for a body cut short, 22 for a status of 400 or more with --fail, 23 for an output and 26 for an \
            input that cannot be used, 28 for a time-out, 35 for a failed TLS handshake, 47 for too many redirects, \
            52 for no answer, 56 for a broken connection, 58 for a client certificate that cannot be used, 60 for a \
            refused certificate, 61 for a wrong encoding, 63 for a response that is too large, 67 for a login that is \
            missing or refused, 77 for a CA file that cannot be used, 90 for a pin that does not match, 120 for a \
            transfer that is not what was asked for or announced (curl has no number for it), 130 when interrupted.
            """,
        version: sallyportVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Request",
                subcommands: [
                    GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self,
                    DeleteCommand.self, OptionsCommand.self, EventsCommand.self,
                ]
            ),
            CommandGroup(name: "Transfer", subcommands: [DownloadCommand.self, UploadCommand.self, QueueCommand.self]),
            CommandGroup(
                name: "Login",
                subcommands: [
                    LoginCommand.self, TokenCommand.self, RefreshCommand.self, WhoamiCommand.self,
                    IntrospectCommand.self, LogoutCommand.self, ProfilesCommand.self, DoctorCommand.self,
                ]
            ),
            CommandGroup(
                name: "Other",
                subcommands: [DemoCommand.self, ServeCommand.self, PinsCommand.self, CompletionsCommand.self]
            ),
        ]
    )
}
