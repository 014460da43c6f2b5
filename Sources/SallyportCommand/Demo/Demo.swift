import ArgumentParser
import Foundation
import SallyportGateway
import SallyportJOSE

/// Runs the demo of the SDK with its own server.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrates the SDK with a development server, over TLS.",
        discussion: "Each step checks its result. The exit status is 1 if one of them fails."
    )

    func run() async throws {
        guard #available(macOS 14, *) else { throw CommandFailure(.other, "the demo needs macOS 14 or later") }
        try await Interruption.cancelOnSignal { try await Demo.run() }
    }
}

/// Runs the steps in order and prints the result of each.
@available(macOS 14, *)
enum Demo {
    /// - Throws: A failure with the number of failed steps, if there are any.
    static func run() async throws {
        let authority = try DevelopmentAuthority()
        var settings = try AuthorizationServerConfiguration.development()
        // The device polls every second, the minimum, because the demo approves the code immediately.
        settings.lifetimes.deviceInterval = 1
        // Without this, the server would accept a replayed refresh token for some seconds.
        settings.lifetimes.refreshTokenReuse = 0
        let identity = try AuthorizationServer(settings)
        var configuration = GatewayConfiguration(
            tls: .developmentAuthority(authority),
            authorizationServer: identity
        )
        let payloadKey = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
        configuration.payloadEncryption = try GatewayPayloadEncryption(keys: [payloadKey])
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sallyport-demo-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let failures = try await Gateway.withRunning(configuration) { address in
            print("A development server is running at \(address.baseURL), with a certificate of its own authority.\n")
            let stage = DemoStage(
                address: address,
                authority: authority,
                identity: identity,
                folder: folder
            )
            defer { stage.client.close() }
            return try await show(DemoStep.all, on: stage)
        }
        if failures > 0 { throw CommandFailure(.other, "\(failures) of \(DemoStep.all.count) steps failed") }
        print(
            """

            All \(DemoStep.all.count) steps succeeded. Next: sallyport serve, then sallyport login --help.
            The code of these steps is in Sources/SallyportCommand/Demo; start with README.md to use the SDK.
            """
        )
    }

    /// - Returns: The number of steps that failed.
    private static func show(_ steps: [DemoStep], on stage: DemoStage) async throws -> Int {
        var failures = 0
        for step in steps {
            let start = ContinuousClock.now
            do {
                let outcome = try await step.run(stage)
                print(DemoLine.text("✓", step.title, ContinuousClock.now - start, outcome))
            } catch {
                if Task.isCancelled { throw CancellationError() }
                failures += 1
                print(DemoLine.text("✗", step.title, ContinuousClock.now - start, "\(error)"))
            }
        }
        return failures
    }
}

/// Formats a line of the demo in columns.
private enum DemoLine {
    static func text(_ mark: String, _ title: String, _ time: Duration, _ outcome: String) -> String {
        let title = title.padding(to: 34)
        let time = String(Format.time(time).padding(to: 9, onLeft: true))
        return "\(mark) \(title) \(time)  \(outcome)"
    }
}

extension String {
    fileprivate func padding(to width: Int, onLeft: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return onLeft ? padding + self : self + padding
    }
}
