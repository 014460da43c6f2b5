import Foundation
import TestSupport
import Testing

/// The built `sallyport`, run as a user runs it.
enum Tool {
    /// What a run left behind.
    struct Outcome: Sendable {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// A hundred processes at a time would leave none of the processor to the tests that call them.
    private static let semaphore = AsyncSemaphore(2)

    /// Runs the command to its end, with nothing on standard input.
    static func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - input: What it finds on standard input.
    ///   - environment: Variables beside those of the tests.
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
    ///   - input: What it finds on standard input; `nil` for a pipe that stays open.
    ///   - closingOutput: Whether nobody reads its standard output.
    ///   - environment: Variables beside those of the tests.
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
