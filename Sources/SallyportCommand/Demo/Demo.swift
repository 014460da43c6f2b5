import Foundation
import SallyportGateway

/// Runs the steps one after the other, and tells of each.
@available(macOS 14, *)
enum Demo {
    /// - Throws: A quiet failure if a step did not go as it should.
    static func run() async throws {
        let authority = try DevelopmentAuthority()
        var people = try AuthorizationServerConfiguration.development()
        // A device asks again after a second, the least that it waits, as nobody has to look for the code.
        people.lifetimes.deviceInterval = 1
        // The demo shows that a replayed refresh token is detected, however soon it comes.
        people.lifetimes.refreshTokenReuse = 0
        let identity = try AuthorizationServer(people)
        let configuration = GatewayConfiguration(
            tls: .developmentAuthority(authority),
            authorizationServer: identity
        )
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sallyport-demo-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let failures = try await Gateway.withRunning(configuration) { address in
            print("A development server is running at \(address.baseURL), with a certificate of its own authority.\n")
            let stage = DemoStage(
                address: address,
                authorityPEM: authority.certificatePEM,
                identity: identity,
                folder: folder
            )
            defer { stage.client.close() }
            return try await show(DemoStep.all, on: stage)
        }
        if failures > 0 { throw CommandFailure(.other, "\(failures) of \(DemoStep.all.count) steps went wrong") }
        print(
            """

            All \(DemoStep.all.count) steps went as they should. Next: sallyport serve, then sallyport login --help;
            the code of these steps is in Sources/SallyportCommand/Demo, the SDK's first page is README.md.
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

/// A line of the demo, in columns.
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
