import Foundation
import TestSupport
import Testing

/// Runs the built `sallyport` as a separate process.
enum Tool {
    /// The result of a run.
    struct Outcome: Sendable {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Limits the number of concurrent processes, so that the tests themselves get processor time.
    private static let semaphore = AsyncSemaphore(2)

    /// Returns variables that replace those of the user who runs the tests.
    ///
    /// - Parameter home: The folder of the profiles.
    static func environment(home: URL) -> [String: String] {
        [
            "SALLYPORT_HOME": home.path, "SALLYPORT_PROFILE": "", "SALLYPORT_CLIENT_SECRET": "",
            "SALLYPORT_STORE_KEY": "", "SALLYPORT_STORE_KEY_FILE": "", "SALLYPORT_STORE": "",
        ]
    }

    /// Runs the command to its end, with nothing on standard input.
    static func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - input: The contents of standard input.
    ///   - environment: The variables to add to the environment of the tests.
    static func run(
        _ arguments: [String],
        input: Data = Data(),
        environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await semaphore.withPermit {
            try await start(arguments, input: input, environment: environment).outcome()
        }
    }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - input: The contents of standard input; `nil` for a pipe that stays open.
    ///   - closingOutput: If `true`, the reading end of standard output is closed.
    ///   - environment: The variables to add to the environment of the tests.
    static func start(
        _ arguments: [String],
        input: Data? = Data(),
        closingOutput: Bool = false,
        environment: [String: String] = [:]
    ) throws -> RunningTool {
        try RunningTool(
            executable: find(),
            arguments: arguments,
            input: input,
            closingOutput: closingOutput,
            environment: environment
        )
    }

    /// The executable beside the test bundle.
    static func find() throws -> URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = (bundle ?? Bundle.main.executableURL)?.resolvingSymlinksInPath().deletingLastPathComponent()
        let tool = try #require(folder).appendingPathComponent("sallyport")
        try #require(
            FileManager.default.isExecutableFile(atPath: tool.path),
            "the command has not been built at \(tool.path): run swift build --product sallyport"
        )
        return tool
    }
}
