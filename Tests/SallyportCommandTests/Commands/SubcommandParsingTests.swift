import ArgumentParser
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct SubcommandParsingTests {
    /// Describes the command with its values, or the text that is printed instead.
    private static func outcome(of parse: () throws -> any ParsableCommand) -> String {
        do {
            let command = try parse()
            return "\(type(of: command)): \(command)"
        } catch {
            return "\(SallyportTool.exitCode(for: error)): \(SallyportTool.fullMessage(for: error, columns: 80))"
        }
    }

    /// Expects the root command to parse the arguments, which takes longer.
    private static func expectParsedFromRoot(_ arguments: [String]) {
        #expect(SallyportTool.commandOfSubcommand(for: arguments) == nil, "\(arguments)")
    }

    private static func expectSameOutcome(_ arguments: [String]) {
        let outcome = outcome { try SallyportTool.command(for: arguments) }
        #expect(outcome == Self.outcome { try SallyportTool.parseAsRoot(arguments) }, "\(arguments)")
    }

    @Test(
        arguments: [
            ["get", "http://example.com"],
            [
                "get", "http://a:b@example.com/?q", "-H", "A: b", "--header", "@file", "-o", "out", "--fail",
                "--follow", "3",
            ],
            ["get", "--raw", "--", "http://example.com"],
            ["get", "help"],
            ["inspect", "--frobnicate"],
            ["post", "http://example.com", "--body", "--version"],
            ["put", "http://example.com", "--json", "--help"],
            ["patch", "http://example.com", "-iv", "--field", "a=b", "--field", "c=d"],
            ["request", "PUT", "http://example.com", "-d", "a=b"],
            ["request", "http://example.com", "-X", "PUT", "-L4"],
            ["events", "http://example.com"],
            ["download", "http://example.com/x", "--no-resume"],
            ["upload", "a=b", "c=d", "http://example.com", "--field", "e=f"],
            ["queue"],
            ["queue", "add", "http://example.com", "x"],
            ["queue", "list"],
            ["otp"],
            ["otp", "alice"],
            ["otp", "code", "alice"],
            ["device"],
            ["session", "logout"],
            ["push", "enroll", "-"],
            ["resource", "get", "/accounts", "--as", "implicit", "--scope", "a b"],
            ["serve", "--port", "80", "--no-tls"],
            ["serve", "hash-password"],
            ["completions", "bash"],
        ]
    )
    func `Valid arguments have the same values with the subcommand as with the root command`(arguments: [String]) throws
    {
        _ = try #require(SallyportTool.commandOfSubcommand(for: arguments))
        Self.expectSameOutcome(arguments)
    }

    @Test func `The commands that send one request are known by their names`() {
        for command in SallyportTool.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            #expect(SallyportTool.sendsOneRequest([name]) == (command is any RequestRunOptions.Type), "\(name)")
        }
        #expect(!SallyportTool.sendsOneRequest([]))
    }

    @Test(
        arguments: [
            [], [""], ["--help"], ["-h"], ["--version"], ["--frobnicate"], ["frobnicate"], ["Get"], ["--", "get"],
            ["help"],
            ["help", "get"], ["help", "queue", "add"],
            ["--verbose", "get", "http://example.com"],
            ["get"], ["get", "-h"], ["get", "--help"], ["get", "-help"], ["get", "--help-hidden"],
            ["get", "--version"],
            ["get", "http://example.com", "--version"], ["get", "http://example.com", "--help"],
            ["get", "http://example.com", "surplus"], ["get", "http://example.com", "--frobnicate"],
            ["get", "http://example.com", "--timeout", "0"], ["get", "http://example.com", "--timeout"],
            ["get", "http://example.com", "--generate-completion-script", "bash"],
            ["get", "--experimental-dump-help"],
            ["post", "http://example.com", "--body", "a", "--json", "{}"],
            ["queue", "frobnicate"], ["queue", "help"], ["queue", "help", "add"], ["queue", "add"],
            ["queue", "add", "--help"],
            ["otp", "help"], ["otp", "--help"], ["device", "register", "--timeout", "0"],
            ["serve", "--ca-file", "x", "--no-tls"], ["serve", "--port", "x", "hash-password"],
            ["completions", "tcsh"], ["--generate-completion-script", "zsh"],
            ["---completion", "get", "--", "--output", "0", "0"],
        ]
    )
    func `Help and usage errors are those of the root command`(arguments: [String]) {
        Self.expectParsedFromRoot(arguments)
    }

    @Test(arguments: SallyportTool.configuration.subcommands.map { $0.configuration.commandName ?? "" })
    func `The help and the usage errors of each command and its subcommands are those of the root command`(name: String)
        throws
    {
        func paths(of command: any ParsableCommand.Type) throws -> [[String]] {
            let name = try #require(command.configuration.commandName)
            return try [[name]] + command.configuration.subcommands.flatMap(paths).map { [name] + $0 }
        }
        let command = try #require(
            SallyportTool.configuration.subcommands.first { $0.configuration.commandName == name }
        )
        for path in try paths(of: command) {
            Self.expectParsedFromRoot(path + ["--help"])
            // The arguments of `inspect` are another command.
            if path != ["inspect"] { Self.expectParsedFromRoot(path + ["--frobnicate"]) }
            let help = Self.outcome { try SallyportTool.command(for: path + ["--help"]) }
            let usage = "USAGE: sallyport \(path.joined(separator: " "))"
            let namesRoot = help.contains("SallyportTool") || help.contains(usage)
            #expect(namesRoot, "The help of \(path) names the root command.")
        }
    }
}
