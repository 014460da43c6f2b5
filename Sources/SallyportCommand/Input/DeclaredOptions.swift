import ArgumentParser
import Foundation

/// The options of a command, from the description that the argument parser has of it.
struct DeclaredOptions: Sendable {
    /// An option or a flag. Options of two commands with the same names and kind have the same meaning.
    struct Declaration: Hashable, Sendable {
        /// The names with their dashes.
        let names: Set<String>
        let isFlag: Bool
        /// `true` if the value of the option can be any text, even a text that begins with a dash.
        let takesAnyText: Bool
        /// `true` if the help of the command shows the option.
        let isShown: Bool

        /// One of the names with two dashes.
        var longName: String? { names.filter { $0.hasPrefix("--") }.min() }
    }

    /// An option with a value, as it is written in an argument.
    struct Use {
        let declaration: Declaration
        let name: String
        /// The flags that share the argument with the option, as in `-ivXPOST`, with their dash.
        let flags: Substring?
        /// The value in the same argument; `nil` if it is the next argument.
        let value: Substring?
    }

    private(set) var byName: [String: Declaration] = [:]

    init(of command: any ParsableCommand.Type) {
        let description = try? JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
        for argument in description?.command.arguments ?? [] {
            add(
                Declaration(
                    names: Set((argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }),
                    isFlag: argument.kind == "flag",
                    takesAnyText: argument.parsingStrategy == "unconditional",
                    isShown: argument.shouldDisplay
                )
            )
        }
    }

    /// Adds an option under each of its names that no other option has.
    mutating func add(_ declaration: Declaration) {
        for name in declaration.names where byName[name] == nil { byName[name] = declaration }
    }

    /// Returns the option with a name, such as `--header` or `-H`; `nil` if there is none.
    subscript(name: String) -> Declaration? { byName[name] }

    /// Returns the option with a value in an argument; `nil` if the argument is a value, or has only flags or unknown options.
    func use(in argument: String) -> Use? {
        guard argument.hasPrefix("-"), self[argument]?.isFlag != true else { return nil }
        if argument.hasPrefix("--") {
            let name = argument.prefix { $0 != "=" }
            guard let declaration = self[String(name)], !declaration.isFlag else { return nil }
            let value = name.endIndex < argument.endIndex ? argument[name.endIndex...].dropFirst() : nil
            return Use(declaration: declaration, name: String(name), flags: nil, value: value)
        }
        let letters = argument.indices.dropFirst()
        guard let letter = letters.first(where: { self["-\(argument[$0])"]?.isFlag != true }),
            let declaration = self["-\(argument[letter])"]
        else { return nil }
        let (flags, value) = (argument[..<letter], argument[letter...].dropFirst())
        return Use(
            declaration: declaration,
            name: "-\(argument[letter])",
            flags: flags.count > 1 ? flags : nil,
            value: value.isEmpty ? nil : value
        )
    }

    /// The part of the argument parser's description that is read.
    private struct Description: Decodable {
        let command: Command

        struct Command: Decodable {
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            let kind: String
            let shouldDisplay: Bool
            let parsingStrategy: String
            let names: [Name]?
        }

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }
}
