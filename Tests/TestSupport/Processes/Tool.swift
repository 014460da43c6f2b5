import Foundation
import Testing

/// Runs the built `sallyport` as a separate process.
public enum Tool {
    /// The result of a run.
    public struct Outcome: Sendable {
        /// The exit status; for a run that ended by a signal, the negative number of the signal.
        public let status: Int32
        /// The standard output.
        public let output: Data
        /// The text on standard error.
        public let errors: String

        /// The standard output as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Limits the number of concurrent processes, so that the tests themselves get processor time.
    private static let semaphore = AsyncSemaphore(2)

    /// Returns variables that replace those of the user who runs the tests.
    ///
    /// - Parameter home: The folder of the profiles.
    public static func environment(home: URL) -> [String: String] {
        [
            "SALLYPORT_HOME": home.path, "SALLYPORT_PROFILE": "", "SALLYPORT_CLIENT_SECRET": "",
            "SALLYPORT_STORE_KEY": "", "SALLYPORT_STORE_KEY_FILE": "", "SALLYPORT_STORE": "",
        ]
    }

    /// Returns the environment of the tests without its proxies and authorities and without colors, with other variables added.
    public static func inherited(adding variables: [String: String]) -> [String: String] {
        let omitted = [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
            "CURL_CA_BUNDLE", "SSL_CERT_FILE",
        ]
        var inherited = ProcessInfo.processInfo.environment.filter { !omitted.contains($0.key) }
        // SwiftPM sets it only if the output of the tests is not a terminal.
        inherited["NO_COLOR"] = "1"
        return inherited.merging(variables) { $1 }
    }

    /// Runs the command to its end, with nothing on standard input.
    public static func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - input: The contents of standard input.
    ///   - environment: The variables to add to the environment of the tests.
    public static func run(
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
    public static func start(
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
    public static func find() throws -> URL {
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
