import ArgumentParser
import TestSupport
import Testing

@testable import SallyportCommand

/// A command with the words that name it.
private struct NamedCommand: Sendable, CustomTestStringConvertible {
    let words: [String]
    let type: any ParsableCommand.Type

    var testDescription: String { words.joined(separator: " ") }

    /// All commands, without the groups of commands that only run their default command.
    static let all = SallyportTool.configuration.subcommands.flatMap { below($0, []) }

    private static func below(_ command: any ParsableCommand.Type, _ words: [String]) -> [NamedCommand] {
        let words = words + [command.configuration.commandName ?? ""]
        let own = command.configuration.defaultSubcommand == nil ? [NamedCommand(words: words, type: command)] : []
        return own + command.configuration.subcommands.flatMap { below($0, words) }
    }
}

@Suite(.concurrencyLimited) struct DeclaredOptionsTests {
    private typealias Declaration = DeclaredOptions.Declaration

    /// The names of options that are not passed to the argument parser as they are: a file of options, and a login, whose profile must be in
    /// the same argument.
    private static let replaced: Set = ["-K", "--auth"]

    /// Values that look like an option, a flag, a file of options, the end of the options, or an option that is not one.
    private static let dashed = [
        "-x", "-Kabc", "-K", "--fail", "--config=a", "--auth", "--help", "--", "---x", "-=x", "--=x", "-1.5",
    ]

    private static func options(of command: NamedCommand) -> (all: [Declaration], flags: String) {
        let declared = DeclaredOptions(of: command.type)
        let options = Set(declared.byName.values).filter { !$0.isFlag && $0.names.isDisjoint(with: replaced) }
        let flags = declared.byName.filter { $0.value.isFlag && $0.key.count == 2 && $0.key != "-h" }.keys.sorted()
        return (Array(options), flags.map { $0.dropFirst() }.joined())
    }

    /// Compares the arguments for the argument parser with the expected ones. All forms are one invocation, because the description of the
    /// options takes long to create.
    private static func expect(_ command: NamedCommand, _ forms: [(given: [String], expected: [String])]) throws {
        let all = try CommandArguments(command.words + forms.flatMap(\.given) + ["--", "-Kabc"]).all
        let expected = command.words + forms.flatMap(\.expected) + ["--", "-Kabc"]
        for (index, argument) in expected.enumerated() where index >= all.count || all[index] != argument {
            let shown = all.dropFirst(index).prefix(4)
            Issue.record("expected \(expected[index...].prefix(4)), not \(shown)")
            return
        }
        #expect(all.count == expected.count)
    }

    @Test(arguments: NamedCommand.all)
    private func `Every option of every command has its value in the same argument or in the next one`(
        command: NamedCommand
    ) throws {
        let (options, flags) = Self.options(of: command)
        var forms: [(given: [String], expected: [String])] = []
        for name in options.flatMap(\.names).sorted() {
            for value in ["value", "-", "a b=c", "=d", "ä"] {
                forms.append(([name, value], [name, value]))
                if name.hasPrefix("--") {
                    forms.append((["\(name)=\(value)"], ["\(name)=\(value)"]))
                } else {
                    forms.append(([name + value], [name, value]))
                    for flags in [flags.prefix(1), flags.prefix(3)] where !flags.isEmpty {
                        forms.append((["-\(flags)\(name.dropFirst())\(value)"], ["-\(flags)", name, value]))
                        forms.append((["-\(flags)\(name.dropFirst())", value], ["-\(flags)", name, value]))
                    }
                }
            }
        }
        try Self.expect(command, forms)
    }

    @Test(arguments: NamedCommand.all)
    private func `No value of any option of any command is read as another option`(command: NamedCommand) throws {
        let (options, flags) = Self.options(of: command)
        var forms: [(given: [String], expected: [String])] = []
        for option in options {
            let long = try #require(option.longName)
            for name in option.names.sorted() {
                for value in Self.dashed {
                    let joined = ["\(name.hasPrefix("--") ? name : long)=\(value)"]
                    // The argument parser reports that the value is missing, unless it can be any text.
                    let isValue = option.takesAnyText || value.hasPrefix("---")
                    forms.append(([name, value], isValue ? joined : [name, value]))
                    if name.hasPrefix("--") {
                        forms.append((joined, joined))
                    } else {
                        forms.append(([name + value], joined))
                        if let flag = flags.first {
                            forms.append((["-\(flag)\(name.dropFirst())\(value)"], ["-\(flag)"] + joined))
                        }
                    }
                }
            }
        }
        try Self.expect(command, forms)
    }

    @Test func `The argument parser reads text that begins with dashes as the value of each option for text`() throws {
        var checked: Set<Declaration> = []
        for command in NamedCommand.all {
            for option in Self.options(of: command).all where option.takesAnyText && checked.insert(option).inserted {
                let name = try #require(option.names.min())
                for value in ["-x", "--help", "--", "---x"] {
                    let arguments = try CommandArguments(command.words + [name, value]).all
                    do {
                        _ = try command.type.parseAsRoot(Array(arguments.dropFirst(command.words.count)))
                    } catch {
                        let message = command.type.message(for: error)
                        let isRead = message.wholeMatch(of: /(Missing value|Unknown option|Invalid option).*/) == nil
                        #expect(isRead, "\(command.words) \(name) \(value): \(message)")
                    }
                }
            }
        }
        #expect(checked.count > 20)
    }

    private static func command<Command: ParsableCommand>(
        _ type: Command.Type,
        _ arguments: String...
    ) throws -> Command {
        try #require(try SallyportTool.command(for: CommandArguments(arguments).all) as? Command)
    }

    @Test func `Short options mean what the command declares, not what another command declares`() throws {
        let download = try Self.command(DownloadCommand.self, "download", "-iurls.txt")
        #expect(download.files.input == "urls.txt")
        let login = try Self.command(LoginCommand.self, "login", "--issuer", "https://a.test", "-sopenid")
        #expect(login.server.scope.flatMap(\.scopes) == ["openid"])
        let events = try Self.command(EventsCommand.self, "events", "a.test", "--last-event-id", "-Kabc")
        #expect(events.events.lastEventId == "-Kabc")
        let serve = try Self.command(ServeCommand.self, "serve", "-p8081")
        #expect(serve.port == 8081)
    }
}
