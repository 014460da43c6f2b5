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
    var checks: [LocalCheck] = []

    /// A check that needs no response of a server.
    enum LocalCheck: String, CaseIterable, ExpressibleByArgument {
        case debugger
        case compromisedDevice = "compromised-device"
        case hooking

        var check: IntegrityCheck {
            switch self {
            case .debugger: .debugger
            case .compromisedDevice: .compromisedDevice
            case .hooking: .hooking
            }
        }
    }

    func run() async throws {
        let enabled = Set((checks.isEmpty ? LocalCheck.allCases : checks).map(\.check))
        let results = await DeviceIntegrity(IntegrityOptions(checks: enabled)).results()
        for (check, finding) in results {
            print("\(check.rawValue): \(finding.map { VisibleText.line($0.description) } ?? "no finding")")
        }
        let count = results.count { $0.finding != nil }
        if count > 0 { throw CommandFailure(.other, "\(count) finding\(count == 1 ? "" : "s")") }
    }
}

extension IntegrityError: ReportableError {
    var commandFailure: CommandFailure { CommandFailure(.other, description) }
}
