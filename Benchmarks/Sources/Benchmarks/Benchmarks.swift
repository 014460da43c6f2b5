import Comparing
import Foundation

/// Measures the clients, prints a table, and writes the same as JSON.
@main
enum Benchmarks {
    static func main() throws {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.lists { return list(arguments.cases + [soak]) }
            try measure(arguments)
        } catch {
            note("benchmarks: \(error)")
            exit(1)
        }
    }

    private static func measure(_ arguments: Arguments) throws {
        let setting = Setting()
        let began = ContinuousClock.now
        var rows: [Row] = []
        for `case` in arguments.cases {
            let begin = ContinuousClock.now
            rows += try `case`.run(in: setting, rounds: min(arguments.rounds ?? `case`.rounds, `case`.rounds)).rows
            note("\(`case`.name): \(`case`.title), \(ContinuousClock.now - begin)")
        }
        print(arguments.printsMarkdown ? Table.markdown(rows) : Table.text(rows))
        fflush(nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = URL(fileURLWithPath: arguments.output)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try (encoder.encode(rows) + Data("\n".utf8)).write(to: file)
        let missed = rows.flatMap(\.verdicts).count { !$0.isMet }
        note("\(missed) targets missed; \(arguments.output); \(ContinuousClock.now - began)")
    }

    private static func list(_ cases: [Case]) {
        for `case` in cases { print("\(`case`.name): \(`case`.title)") }
    }

    /// What is no part of the table.
    private static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
