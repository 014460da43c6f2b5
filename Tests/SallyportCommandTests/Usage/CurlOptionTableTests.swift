import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct CurlOptionTableTests {
    private static let declared = DeclaredOptions(of: AnyRequestCommand.self)

    /// Returns the hint for an option that the command does not have; `nil` if there is none.
    private static func hint(for name: String) -> String? { OptionAdvice.advice(for: name, of: "request") }

    @Test func `Every option of curl has curl's meaning, or is refused with a hint`() throws {
        #expect(CurlOption.all.count == 250)
        for option in CurlOption.all where option.names.last != "--help" {
            for name in option.names {
                if let own = Self.declared[name] {
                    let long = try #require(option.names.last)
                    #expect(
                        CurlOption.difference(of: long) != nil,
                        "the meaning of \(name) compared with curl is not stated"
                    )
                    #expect(own.isFlag == (option.value == nil), "\(name)")
                    #expect(own.names.contains(long), "\(name) is not short for \(long) of curl")
                } else {
                    #expect(Self.hint(for: name) != nil, "there is no hint for \(name)")
                }
            }
        }
    }

    @Test(
        arguments: [
            "-:", "-#", "-0", "-a", "-q", "-s", "--trace", "--form-string", "--ftp-pasv", "--doh-url", "--proxy1.0",
            "--tlsv1.0",
            "--no-alpn", "--socks4a", "--url-query",
        ]
    )
    func `An option of curl that the command does not have ends with 2 and its hint`(name: String) throws {
        let arguments = try CommandArguments(["request", "https://example.com/", name])
        let error = #expect(throws: (any Error).self) { try SallyportTool.command(for: arguments.all) }
        let report = EntryPoint.report(of: try #require(error), arguments)
        #expect(report.status == .usage)
        let hint = try #require(Self.hint(for: name))
        #expect(report.message.hasPrefix("unknown option \(name); \(hint)\n"), "\(report.message)")
    }

    @Test func `No short option of a command with curl's options has another long name than in curl`() throws {
        let commands = SallyportTool.configuration.subcommands.filter {
            SallyportTool.sendsOneRequest([$0.configuration.commandName ?? ""])
        }
        for command in commands {
            let declared = DeclaredOptions(of: command)
            for option in CurlOption.all {
                guard let long = option.names.last, long != "--help" else { continue }
                for name in option.names {
                    guard let own = declared[name] else { continue }
                    // Events are JSON with --json, and have no body.
                    if command == EventsCommand.self, long == "--json" { continue }
                    #expect(own.names.contains(long), "\(name) of \(command)")
                    #expect(own.isFlag == (option.value == nil), "\(name) of \(command)")
                }
            }
        }
    }

    private static let document = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Docs/curl-options.md")

    /// Returns the row of an option in the documentation.
    private static func row(of option: CurlOption) -> String {
        let names =
            option.names.joined(separator: ", ") + (option.value.map { " \($0)" } ?? "").replacing("|", with: "\\|")
        let kept = option.names.filter { declared[$0] != nil || $0 == "-h" || $0 == "--help" }
        var cells: [String] = []
        if let long = option.names.last, !kept.isEmpty {
            let difference = CurlOption.difference(of: long) ?? ""
            cells.append("`\(kept.joined(separator: "`, `"))`: " + (difference.isEmpty ? "the same" : difference))
        }
        var hints: [(hint: String, names: [String])] = []
        for name in option.names where !kept.contains(name) {
            let hint = hint(for: name) ?? ""
            if let index = hints.firstIndex(where: { $0.hint == hint }) {
                hints[index].names.append(name)
            } else {
                hints.append((hint, [name]))
            }
        }
        for (hint, names) in hints {
            let prefix = kept.isEmpty && hints.count == 1 ? "" : "`\(names.joined(separator: "`, `"))` "
            cells.append("\(prefix)refused: `` \(hint) ``")
        }
        return "| `` \(names) `` | \(cells.joined(separator: "; ")) |"
    }

    @Test func `The table of curl's options in the documentation is that of the command`() throws {
        let rows = CurlOption.all.map(Self.row)
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        if ProcessInfo.processInfo.environment["SALLYPORT_WRITE_TABLES"] == "1" {
            let start = lines.prefix { !$0.hasPrefix("| ``") }
            let table = (start + rows + [""]).joined(separator: "\n")
            return try table.write(to: Self.document, atomically: true, encoding: .utf8)
        }
        let documented = lines.filter { $0.hasPrefix("| ``") }
        #expect(documented.count == rows.count)
        for (documented, row) in zip(documented, rows) {
            #expect(documented == row, "run the test with SALLYPORT_WRITE_TABLES=1 to write the table")
        }
    }
}
