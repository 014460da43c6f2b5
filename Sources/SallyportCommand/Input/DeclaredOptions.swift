import ArgumentParser
import Foundation

/// The options that a command shows in its help.
struct DeclaredOptions: Sendable {
    /// An option or a flag. Options of two commands with the same names and kind have the same meaning.
    struct Declaration: Equatable, Sendable {
        /// The names with their dashes.
        let names: Set<String>
        let isFlag: Bool
    }

    private let byName: [String: Declaration]

    /// Reads the options from the description that the argument parser has of the command.
    init(of command: any ParsableCommand.Type) {
        let description = try? JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
        var byName: [String: Declaration] = [:]
        for argument in description?.command.arguments ?? [] where argument.shouldDisplay {
            let names = Set((argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name })
            for name in names { byName[name] = Declaration(names: names, isFlag: argument.kind == "flag") }
        }
        self.byName = byName
    }

    /// Returns the option with a name, such as `--header` or `-H`; `nil` if there is none.
    subscript(name: String) -> Declaration? { byName[name] }

    /// The part of the argument parser's description that is read.
    private struct Description: Decodable {
        let command: Command

        struct Command: Decodable {
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            let kind: String
            let shouldDisplay: Bool
            let names: [Name]?
        }

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }
}
