import ArgumentParser
import Foundation
import SallyportResource
import SallyportTransport

/// Shows the results of the integrity checks that run before resource calls.
struct IntegrityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "integrity",
        abstract: "Runs the integrity checks that apps can enable for resource calls.",
        discussion: """
            The checks examine this process: the debugger attached to it, the libraries loaded into it, and on iOS the \
            protection of the device. Reports of servers about outdated versions do not outlive a process, so they are not \
            checked. Nothing is sent. The exit status is 1 if there is a finding.
            """
    )

    @Option(
        name: .customLong("check"),
        help: ArgumentHelp(
            "The check to run: debugger, compromised-device or hooking. (repeatable, default: all)",
            valueName: "name"
        )
    )
    var checks: [IntegrityCheck] = []

    @Flag(help: "Print a JSON array with an object for each check.")
    var json = false

    func run() async throws {
        let enabled = Set(checks.isEmpty ? IntegrityCheck.local : checks)
        let results = DeviceIntegrity(IntegrityOptions(checks: enabled)).results()
        if json {
            let entries = results.map { check, finding in
                ["check": check.rawValue, "finding": finding?.description] as [String: String?]
            }
            print(try JsonText.indented(entries))
        } else {
            for (check, finding) in results {
                print("\(check.rawValue): \(finding.map { VisibleText.line($0.description) } ?? "no finding")")
            }
        }
        let count = results.count { $0.finding != nil }
        if count > 0 { throw CommandFailure(.other, "\(count) finding\(count == 1 ? "" : "s")") }
    }
}

extension IntegrityCheck: ExpressibleByArgument {
    /// The checks that need no response of a server.
    fileprivate static let local: [IntegrityCheck] = [.debugger, .compromisedDevice, .hooking]

    /// Creates a check that needs no response of a server from its name.
    public init?(argument: String) {
        guard let check = Self.local.first(where: { $0.rawValue == argument }) else { return nil }
        self = check
    }

    /// The names for the help and the completion of shells.
    public static var allValueStrings: [String] { local.map(\.rawValue) }
}

extension IntegrityError: ReportableError {
    var commandFailure: CommandFailure { CommandFailure(.other, description) }
}
