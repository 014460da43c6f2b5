import Foundation
import TestSupport

/// The built `sallyport` with its own folder for profiles.
struct CommandLine: Sendable {
    /// The path of the executable.
    static let path = ProcessInfo.processInfo.environment["SALLYPORT_COMMAND"]

    private let home: URL

    /// Runs a closure with a temporary folder for profiles.
    static func with(_ body: (CommandLine) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in try await body(CommandLine(home: folder)) }
    }

    /// Starts the command.
    ///
    /// - Parameter environment: The environment except the folder of profiles; by default, that of the tests.
    func start(_ arguments: [String], environment: [String: String]? = nil) throws -> CommandRun {
        var environment = environment ?? ProcessInfo.processInfo.environment
        environment["SALLYPORT_HOME"] = home.path
        return try CommandRun(Self.path ?? "", arguments, environment: environment)
    }

    /// Runs the command to its end.
    func run(_ arguments: [String], environment: [String: String]? = nil) async throws -> CommandRun.Outcome {
        try await start(arguments, environment: environment).outcome()
    }
}

/// A run of the command that may not have ended.
final class CommandRun: Sendable {
    /// The result of a run.
    struct Outcome: Sendable {
        /// The exit status, or the negative number of the signal that ended the run.
        var status: Int32?
        var output = ""
        var errors = ""
    }

    private let state = Watched((outcome: Outcome(), openPipes: 2))
    private let process: Process

    fileprivate init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [state] process in
            let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            state.update { $0.outcome.status = status }
        }
        read(output) { $0.output += $1 }
        read(errors) { $0.errors += $1 }
        try process.start()
    }

    /// Reads on a separate thread until the process has closed its side.
    private func read(_ pipe: Pipe, into keep: @escaping @Sendable (inout Outcome, String) -> Void) {
        Thread.detachNewThread { [state] in
            var chunk = pipe.fileHandleForReading.availableData
            while !chunk.isEmpty {
                state.update { [chunk] state in keep(&state.outcome, String(decoding: chunk, as: UTF8.self)) }
                chunk = pipe.fileHandleForReading.availableData
            }
            state.update { $0.openPipes -= 1 }
        }
    }

    /// Waits for the end of the run.
    func outcome() async throws -> Outcome {
        do {
            try await state.wait("the command to end", within: .seconds(90)) { state in
                state.outcome.status != nil && state.openPipes == 0
            }
        } catch {
            process.terminate()
            throw error
        }
        return state.value.outcome
    }

    /// Waits until standard error contains a text, and returns it.
    func errors(containing text: String) async throws -> String {
        try await state.wait("\"\(text)\" among the errors", within: .seconds(90)) { state in
            state.outcome.errors.contains(text) || state.openPipes == 0
        }
        return state.value.outcome.errors
    }

    /// Sends the signal of Control-C.
    func interrupt() {
        process.interrupt()
    }
}
