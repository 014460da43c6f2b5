import ArgumentParser
import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct WrongInvocationsTests {
    /// Returns the exit status and the message of a run that ends before anything is sent.
    private static func report(_ arguments: [String]) async -> (status: SallyportCommand.ExitStatus, message: String)? {
        var prepared: CommandArguments?
        do {
            let all = try CommandArguments(arguments)
            prepared = all
            let command = try SallyportTool.command(for: all.all)
            _ = try (command as? AnyRequestCommand)?.method()
            _ = try (command as? InspectCommand)?.parsedCommand()
            _ = try (command as? PinsCommand)?.checkedURL()
            if let upload = command as? UploadCommand { _ = try UploadContents(upload.arguments) }
            if let download = command as? DownloadCommand {
                _ = try DownloadTargets(download.arguments, into: nil) { _ in false }
            }
            if let request = command as? any RequestRunOptions { _ = try await RequestRun(method: .post, request) }
            return nil
        } catch {
            return EntryPoint.report(of: error, prepared)
        }
    }

    /// Returns the message without the command that shows the help.
    private static func firstLine(_ message: String) -> String {
        String(message.prefix { $0 != "\n" })
    }

    @Test(
        arguments: [
            ["login", "-uada:s3cret"], ["login", "-Hs: s3cret"], ["token", "-bsid=s3cret"], ["whoami", "-ds3cret=1"],
            ["serve", "-Fp=s3cret"],
        ]
    )
    func `A secret in the same argument as an option that the command does not have is not shown`(
        arguments: [String]
    ) async throws {
        let message = try #require(await Self.report(arguments)).message
        #expect(message.hasPrefix("unknown option \(arguments[1].prefix(2));"), "\(message)")
        #expect(!message.contains("s3cret"), "\(message)")
    }

    private static let document = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Docs/wrong-invocations.md")

    private static func documentedLines() throws -> [String] {
        try String(contentsOf: document, encoding: .utf8).components(separatedBy: "\n")
    }

    private static func isRow(_ line: String) -> Bool { line.hasPrefix("| ``") }

    private static func row(
        _ invocation: WrongInvocation,
        _ report: (status: SallyportCommand.ExitStatus, message: String)
    ) -> String {
        let line = (["sallyport"] + invocation.arguments).map(ShellText.quoted).joined(separator: " ")
        let message = escaped(firstLine(report.message))
        return "| `` \(escaped(line)) `` | \(report.status.rawValue) | `` \(message) `` |"
    }

    @Test(arguments: Array(WrongInvocation.all.enumerated()))
    func `The message for a wrong invocation names the mistake and what to type instead, as documented`(
        index: Int,
        invocation: WrongInvocation
    ) async throws {
        let report = try #require(await Self.report(invocation.arguments))
        #expect(report.status == invocation.status)
        let message = Self.firstLine(report.message)
        for word in invocation.words { #expect(message.contains(word), "\(message)") }
        let rows = try Self.documentedLines().filter(Self.isRow)
        let documented = rows.indices.contains(index) ? rows[index] : ""
        #expect(
            documented == Self.row(invocation, report),
            "run the tests with SALLYPORT_WRITE_TABLES=1 to write the table"
        )
    }

    @Test func `The table of wrong invocations in the documentation is complete`() async throws {
        let lines = try Self.documentedLines()
        if ProcessInfo.processInfo.environment["SALLYPORT_WRITE_TABLES"] == "1" {
            var table = Array(lines.prefix { !Self.isRow($0) })
            for invocation in WrongInvocation.all {
                table.append(Self.row(invocation, try #require(await Self.report(invocation.arguments))))
            }
            try (table + [""]).joined(separator: "\n").write(to: Self.document, atomically: true, encoding: .utf8)
            return
        }
        #expect(lines.count(where: Self.isRow) == WrongInvocation.all.count)
    }

    private static func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }

    @Test func `A usage error ends with 2, the prefix of all errors, and the command that shows the help`() async throws
    {
        let outcome = try await Tool.run("get", "https://example.com", "--timeout", "ten")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors == """
                sallyport: "ten" is not a value for --timeout <seconds>: it must be a number of seconds, such as 10 or 0.5
                Try: sallyport get --help

                """
        )
    }

    @Test(
        arguments: [
            ("a", "a", 0), ("", "abc", 3), ("login", "logn", 1), ("get", "gte", 1), ("serve", "server", 1),
            ("queue", "cache", 4),
        ]
    )
    func `The distance of two words counts changes and transpositions`(first: String, second: String, distance: Int) {
        #expect(EditDistance.between(first, second) == distance)
        #expect(EditDistance.between(second, first) == distance)
    }
}
