import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct EnvironmentCommandTests {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized

    @Test(arguments: [["environment"], ["help", "environment"]])
    func `The variables are printed with their descriptions`(arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 0)
        for variable in EnvironmentVariable.all {
            #expect(outcome.text.contains("  \(variable.name)\n"), "\(variable.name)")
            for line in variable.lines { #expect(outcome.text.contains("      \(line)\n"), "\(line)") }
        }
    }

    @Test func `Every line fits on a terminal of 80 columns`() {
        for variable in EnvironmentVariable.all { #expect(variable.lines.allSatisfy { $0.count <= 72 }, "\(variable)") }
    }

    @Test func `Docs/environment.md has a row for each variable`() throws {
        let document = try String(contentsOf: Self.root.appendingPathComponent("Docs/environment.md"), encoding: .utf8)
        let rows = document.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let expected = EnvironmentVariable.all.map { "| `\($0.name)` | \($0.lines.joined(separator: " ")) |" }
        #expect(rows.map(String.init) == expected, "\(expected.joined(separator: "\n"))")
    }

    /// libpq's variables are documented by PostgreSQL, and apps use those of `SallyportTesting`.
    @Test func `The list contains the variables whose names are in the sources, and no others`() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        // Read variables, names that only variables have, and other quoted words.
        let patterns = [
            #"(?:environment\[|getenv\()"(\w+)""#, #""((?:SALLYPORT|XDG|NIO)_[A-Z_]+|\w+_(?:proxy|PROXY))""#,
            #""([A-Z_]+)""#,
        ]
        let names = try NSRegularExpression(pattern: patterns.joined(separator: "|"))
        var (read, other): (Set<String>, Set<String>) = ([], [])
        for case let file as URL in files where file.pathExtension == "swift" {
            if ["EnvironmentCommand.swift", "RecordingOptions.swift"].contains(file.lastPathComponent) { continue }
            let text = try String(contentsOf: file, encoding: .utf8) as NSString
            for match in names.matches(in: text as String, range: NSRange(location: 0, length: text.length)) {
                for group in 1...3 where match.range(at: group).location != NSNotFound {
                    let name = text.substring(with: match.range(at: group))
                    if group < 3 { read.insert(name) } else { other.insert(name) }
                }
            }
        }
        let listed = EnvironmentVariable.all.map(\.name)
        #expect(Set(listed).count == listed.count)
        let unlisted = read.subtracting(listed).filter { !$0.hasPrefix("PG") }
        #expect(unlisted.isEmpty, "add them to EnvironmentVariable.all: \(unlisted.sorted())")
        let unread = Set(listed).subtracting(read).subtracting(other)
        #expect(unread.isEmpty, "remove them from EnvironmentVariable.all: \(unread.sorted())")
    }
}
