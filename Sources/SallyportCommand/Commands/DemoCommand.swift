import ArgumentParser
import Foundation
import SallyportGateway

/// Shows what the SDK can do, against a server of its own.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows the SDK at work against a development server, over TLS.",
        discussion: "Each step checks what came of it. The exit status is 1 if any is not as it should be."
    )

    func run() async throws {
        guard #available(macOS 14, *) else { throw CommandFailure(.other, "the demo needs macOS 14 or later") }
        try await Interruption.cancelling { try await Demo.run() }
    }
}
