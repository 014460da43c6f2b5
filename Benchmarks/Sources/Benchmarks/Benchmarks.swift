import Comparing
import Foundation

/// Measures the clients, prints a table, and writes the same results as JSON.
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
        var (rows, failures): ([Row], Int) = ([], 0)
        for `case` in arguments.cases {
            let begin = ContinuousClock.now
            let rounds = min(arguments.rounds ?? `case`.rounds, `case`.rounds)
            let results = `case`.run(in: setting, rounds: rounds) { error in
                failures += 1
                note("\(`case`.name): \(error)")
            }
            rows += results.rows
            // Written after each case, so that an interruption loses only the remaining ones.
            try write(rows, to: arguments.output)
            note("\(`case`.name): \(`case`.title), \(seconds(since: begin))")
        }
        print(arguments.printsMarkdown ? Table.markdown(rows) : Table.text(rows))
        fflush(nil)
        let missed = rows.flatMap(\.verdicts).count { !$0.isMet }
        note("\(missed) targets missed; see \(arguments.output); \(seconds(since: began)) in all")
        if failures > 0 { throw Failed(count: failures) }
    }

    private struct Failed: Error, CustomStringConvertible {
        let count: Int

        var description: String { "\(count) runs of clients failed" }
    }

    private static func write(_ rows: [Row], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try (encoder.encode(rows) + Data("\n".utf8)).write(to: file, options: .atomic)
    }

    private static func seconds(since instant: ContinuousClock.Instant) -> String {
        "\((ContinuousClock.now - instant).components.seconds) s"
    }

    private static func list(_ cases: [Case]) {
        for `case` in cases { print("\(`case`.name): \(`case`.title)") }
    }

    /// Prints text that is not part of the table.
    private static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
