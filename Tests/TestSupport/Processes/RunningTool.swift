import Foundation

/// A run of the command that may not have ended.
public final class RunningTool: Sendable {
    private let output = OutputPipe()
    private let errors = OutputPipe()
    private let status = Watched<Int32?>(nil)
    private let process: Watched<Process?>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: Its arguments.
    ///   - input: The contents of standard input; `nil` for a pipe that stays open.
    ///   - closingOutput: If `true`, the reading end of standard output is closed.
    ///   - environment: The variables to add to the environment of the tests.
    public init(
        executable: URL,
        arguments: [String],
        input: Data?,
        closingOutput: Bool = false,
        environment: [String: String] = [:]
    ) throws {
        let process = Process()
        self.process = Watched(process)
        process.executableURL = executable
        process.arguments = arguments
        process.environment = Tool.inherited(adding: environment)
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        let inputPipe = Pipe.closedOnExec()
        process.standardInput = inputPipe
        process.terminationHandler = { [status] process in
            let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            status.update { $0 = code }
        }
        errors.startReading()
        if closingOutput { try output.abandon() } else { output.startReading() }
        try process.start()
        if let input { Self.send(input, to: inputPipe) }
    }

    /// Writes on a separate thread, because the command may read slowly or not at all.
    private static func send(_ input: Data, to pipe: Pipe) {
        signal(SIGPIPE, SIG_IGN)
        DispatchQueue(label: "test.blocking").async {
            try? pipe.fileHandleForWriting.write(contentsOf: input)
            try? pipe.fileHandleForWriting.close()
        }
    }

    /// Waits for the end of the run.
    public func outcome(within limit: Duration = .seconds(60)) async throws -> Tool.Outcome {
        do {
            try await status.wait("the command to end", within: limit) { $0 != nil }
        } catch {
            process.value?.terminate()
            throw error
        }
        return Tool.Outcome(
            status: status.value ?? 0,
            output: try await output.whole(),
            errors: String(decoding: try await errors.whole(), as: UTF8.self)
        )
    }

    /// Waits until the output contains a text.
    public func output(containing text: String) async throws -> String {
        try await output.containing(text)
    }

    /// Waits until standard error contains a text.
    public func errors(containing text: String) async throws -> String {
        try await errors.containing(text)
    }

    /// Waits until the command reads its standard input, which stays open, by sending it more spaces than a pipe holds.
    public func waitUntilReading() async throws {
        guard let input = process.value?.standardInput as? Pipe else { return }
        signal(SIGPIPE, SIG_IGN)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "test.blocking").async {
                let spaces = Data(repeating: UInt8(ascii: " "), count: 1 << 17)
                continuation.resume(with: Result { try input.fileHandleForWriting.write(contentsOf: spaces) })
            }
        }
    }

    /// The identifier of the process.
    public var identifier: Int32 { process.value?.processIdentifier ?? 0 }

    /// Sends the signal of Control-C.
    public func interrupt() {
        process.value?.interrupt()
    }
}
