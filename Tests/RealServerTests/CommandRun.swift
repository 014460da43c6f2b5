import Foundation
import TestSupport

/// The built `sallyport` as a person at a terminal has it, with a folder of its own for profiles.
struct CommandLine: Sendable {
    /// Where it is.
    static let path = ProcessInfo.processInfo.environment["SALLYPORT_COMMAND"]

    private let home: URL

    /// Runs a closure with a folder that is gone afterwards.
    static func with(_ body: (CommandLine) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in try await body(CommandLine(home: folder)) }
    }

    /// Starts the command.
    ///
    /// - Parameter environment: The environment, but for the folder of profiles; that of the tests if there is none.
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

/// A run of the command, which may not have ended.
final class CommandRun: Sendable {
    /// What it left behind.
    struct Outcome: Sendable {
        /// Its status; that of a run that ended by a signal is the signal's number, negative.
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
        try process.run()
    }

    /// Reads in a thread of its own, line by line, until the process has closed its side.
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

    /// Waits for its end.
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

    /// Waits until a text stands among the errors.
    func errors(containing text: String) async throws -> String {
        try await state.wait("\"\(text)\" among the errors", within: .seconds(90)) { state in
            state.outcome.errors.contains(text) || state.openPipes == 0
        }
        return state.value.outcome.errors
    }

    /// Presses Control-C.
    func interrupt() {
        process.interrupt()
    }
}
