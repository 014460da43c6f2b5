import ArgumentParser
import Foundation
import Sallyport

/// Creates the messages for arguments that the argument parser refuses: the mistake, and what to type instead.
///
/// The errors of the argument parser are internal to it, so its messages are read. A message in a form that is not known here
/// is shown unchanged.
enum UsageMessage {
    /// Returns the message with the command that shows the help, and with secrets of the arguments masked.
    ///
    /// - Parameters:
    ///   - error: An error of the argument parser about the arguments, or of the validation of a command.
    ///   - arguments: The arguments that were parsed, if they could be prepared.
    static func text(ofUsageError error: any Error, _ arguments: CommandArguments?) -> String {
        let all = arguments?.all ?? []
        let path = SubcommandPath(of: all)
        let message = (error as? ValidationError)?.message ?? SallyportTool.message(for: error)
        var text = improved(message, all, path)
        if let files = arguments?.files, !files.isEmpty {
            text += "\nOptions were also read from \(files.joined(separator: " and "))."
        }
        text += "\nTry: \(path.description) --help"
        return masking(all, in: text)
    }

    /// Returns the message of an error that a command has thrown, with secrets of the arguments masked.
    static func text(ofOtherError error: any Error, _ arguments: CommandArguments?) -> String {
        masking(arguments?.all ?? [], in: SallyportTool.message(for: error))
    }

    /// Returns a message with the secrets masked in the arguments that it quotes, such as a URL with a password. Its other text
    /// remains, as help texts contain words such as "Bearer token".
    private static func masking(_ arguments: [String], in message: String) -> String {
        let values = arguments.flatMap { argument in
            let value = argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
            return [value, argument.hasPrefix("-H") ? String(argument.dropFirst(2)) : nil].compactMap(\.self)
        }
        return (arguments + values).sorted { $0.count > $1.count }.reduce(message) { message, quoted in
            let masked = masked(quoted)
            return masked == quoted ? message : message.replacing(quoted, with: masked)
        }
    }

    /// Returns an argument with secrets masked. The value of a header without a colon follows a blank.
    private static func masked(_ argument: String) -> String {
        let name = argument.prefix { $0 != " " }
        let isHeader =
            name.endIndex < argument.endIndex && !name.contains(":") && SecretNames.containsWord(String(name))
        return isHeader ? "\(name) \(Redaction.mask)" : Redaction.text(argument)
    }

    private static func improved(_ message: String, _ arguments: [String], _ path: SubcommandPath) -> String {
        if let match = message.wholeMatch(of: /Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) {
            return unknownOption(String(match.1), suggestion: match.2.map(String.init), arguments, path)
        }
        if let match = message.firstMatch(
            of: /^Unknown option '(.+?)'.*\n +or: Missing value for '(-.) <(.+)>' in '.+'$/
        ) {
            // The command has no option for the first letter, as its value would have been separated from it.
            if ProcessArguments.isSecret(valueOf: String(match.1.prefix(2))) {
                return unknownOption(String(match.1), suggestion: nil, arguments, path)
            }
            return "\(match.2) in \(match.1) needs a value; write it last, as in \(match.2) <\(match.3)>"
        }
        if let match = message.wholeMatch(of: /Missing value for '(\S+)(?: <(.+)>)?'/) {
            return missingValue(of: String(match.1), valueName: match.2.map(String.init), arguments)
        }
        if let match = message.wholeMatch(of: /(?s)The value '(.*)' is invalid for '(?:(-\S+)(?: ))?<(.+?)>'(.*)/) {
            let option = match.2.map(String.init)
            return invalidValue(String(match.1), of: option, valueName: String(match.3), reason: String(match.4), path)
        }
        if let match = message.wholeMatch(of: /Missing expected argument '<(.+?)>.*'/) {
            return missingArgument(String(match.1), path)
        }
        if let match = message.wholeMatch(of: /(?s)(?:Unexpected argument|\d+ unexpected arguments:) '(.*?)'(?:, .*)?/)
        {
            return unexpectedArgument(String(match.1), arguments, path)
        }
        if let match = message.wholeMatch(of: /Value to be set with flag '(.+)' had already been set with flag '(.+)'/)
        {
            return "Only one of \(match.2) and \(match.1) can be used; omit \(match.2) or \(match.1)"
        }
        if let match = message.wholeMatch(
            of: /(?s)The option '(.+?)' does not take any value, but '.*' was specified\./
        ) {
            return "\(match.1) takes no value; write \(match.1) alone"
        }
        if let match = message.wholeMatch(of: /(Only one of (\S+) and (\S+) can be used)\./) {
            return "\(match.1); omit \(match.2) or \(match.3)"
        }
        if let match = message.wholeMatch(of: /(Only one of .+ can be used)\./) { return "\(match.1); omit the others" }
        if let match = message.wholeMatch(of: /Invalid option: (.+)/) {
            return "\(match.1) is not an option; options begin with one or two dashes, followed by letters"
        }
        return message
    }

    private static func unknownOption(
        _ name: String,
        suggestion: String?,
        _ arguments: [String],
        _ path: SubcommandPath
    ) -> String {
        // The other letters can be a secret, as in -uname:password.
        let short = String(name.prefix(2))
        let name = ProcessArguments.isSecret(valueOf: short) ? short : name
        let isOfRoot = path.names.isEmpty
        if isOfRoot, let command = arguments.first(where: { SallyportTool.commandNames.contains($0) }) {
            return "\(name) precedes the command; write it after the command: sallyport \(command) \(name)"
        }
        if let advice = OptionAdvice.advice(for: name, of: path.names.first) {
            return "unknown option \(name); \(advice)"
        }
        if let suggestion, OptionAdvice.isProbable(suggestion, for: name) {
            return "unknown option \(name); did you mean \(suggestion)?"
        }
        if isOfRoot { return "unknown option \(name); write a command first, as in sallyport get https://example.com" }
        if !name.hasPrefix("--") {
            for letter in name.dropFirst() {
                guard let advice = OptionAdvice.advice(for: "-\(letter)", of: path.names.first) else { continue }
                return "unknown option -\(letter) in \(name); \(advice)"
            }
        }
        return "unknown option \(name); \(path.description) --help shows all"
    }

    private static func missingValue(of option: String, valueName: String?, _ arguments: [String]) -> String {
        if option == "--auth" { return "--auth= needs the name of a profile; write --auth=<profile>, or --auth alone" }
        let usage = option + (valueName.map { " <\($0)>" } ?? "")
        let next = arguments.lastIndex(of: option).flatMap { arguments.dropFirst($0 + 1).first }
        if let next, Double(next) != nil {
            return "\(next) is not a value for \(usage): it must not be negative"
        }
        if let next, next.hasPrefix("-") {
            return "\(option) needs a value before \(next); write \(usage), or \(option)=\(next) if that is the value"
        }
        return "\(option) needs a value; write \(usage)"
    }

    private static func invalidValue(
        _ value: String,
        of option: String?,
        valueName: String,
        reason: String,
        _ path: SubcommandPath
    ) -> String {
        let usage = option.map { "\($0) <\(valueName)>" } ?? "<\(valueName)>"
        let isSecret = option.map(ProcessArguments.isSecret(valueOf:)) ?? false
        let quoted = isSecret ? "the value" : "\"\(VisibleText.line(value, longest: 100))\""
        let shown = isSecret ? "\(quoted) of \(usage) cannot be used" : "\(quoted) is not a value for \(usage)"
        if reason.hasPrefix(": ") {
            let reason = reason.dropFirst(2)
            return "\(shown): \(reason.hasPrefix("It ") ? "it" + reason.dropFirst(2) : String(reason))"
        }
        if let match = reason.wholeMatch(of: /(?s)\. Please provide one of(?: the following:\n)? ?(.*)/) {
            let choices = match.1.replacing(#/\n? +- /#, with: " ").replacing("'", with: "")
            return "\(shown): it must be one of \(choices.trimmingCharacters(in: CharacterSet(charactersIn: " .")))"
        }
        switch option == "--profile" ? "profile" : valueName {
        case "seconds", "timeout", "time-limit": return "\(shown): it must be a number of seconds, such as 10 or 0.5"
        case "profile": return "\(shown): it must be a name of letters, digits, hyphens, underscores and dots"
        case "port": return "\(shown): it must be a whole number from 0 to 65535, such as 8080"
        case "count", "number", "cost", "parallel", "at-once":
            let isNumber = Double(value) != nil
            return "\(shown): it must be a \(isNumber ? "whole " : "")number, such as 3"
        default: return "\(shown); \(path.description) --help describes it"
        }
    }

    private static func missingArgument(_ name: String, _ path: SubcommandPath) -> String {
        if ["url", "address", "arguments"].contains(name), let command = path.names.first {
            return
                "the URL is missing; write sallyport \(command) <url>, such as sallyport \(command) https://example.com"
        }
        return "the argument <\(name)> is missing; write \(path.description) <\(name)>"
    }

    private static func unexpectedArgument(
        _ argument: String,
        _ arguments: [String],
        _ path: SubcommandPath
    ) -> String {
        guard path.subcommands.isEmpty else { return unknownCommand(argument, path) }
        let usesRemoteName = arguments.contains("-O") || arguments.contains("--remote-name")
        return SurplusArgument.problem(
            with: argument,
            of: path.names.joined(separator: " "),
            usesRemoteName: usesRemoteName
        )
    }

    /// Returns the message for a word that is not a command of the last command of a path.
    static func unknownCommand(_ word: String, _ path: SubcommandPath) -> String {
        let shown = VisibleText.line(word, longest: 100)
        let names = path.subcommands.compactMap { $0.configuration.commandName }
        let command = path.names.isEmpty ? "command" : "command of \(path.names.joined(separator: " "))"
        guard let suggestion = CommandAdvice.nearest(to: word, of: names) else {
            return "there is no \(command) \"\(shown)\"; \(path.description) --help shows all"
        }
        return "there is no \(command) \"\(shown)\"; did you mean \(path.description) \(suggestion)?"
    }
}

/// The commands that arguments name, without `sallyport` and `help`.
struct SubcommandPath: CustomStringConvertible {
    private(set) var names: [String] = []
    /// The command to run: the last one or its default; `nil` without a command.
    private(set) var command: (any ParsableCommand.Type)?
    /// The commands below the last one.
    private(set) var subcommands = SallyportTool.configuration.subcommands
    /// The word after `help` that is not a command of the last command.
    private(set) var unknownTopic: String?

    init(of arguments: [String]) {
        var isHelp = false
        for name in arguments where !subcommands.isEmpty {
            if let command = subcommands.first(where: { $0.configuration.commandName == name }) {
                names.append(name)
                self.command = command.configuration.defaultSubcommand ?? command
                subcommands = command.configuration.subcommands
            } else if name == "help", !isHelp {
                isHelp = true
            } else {
                if isHelp, name != "help", !name.hasPrefix("-") { unknownTopic = name }
                return
            }
        }
    }

    var description: String { (["sallyport"] + names).joined(separator: " ") }
}
