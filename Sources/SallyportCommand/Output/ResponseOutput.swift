import Foundation

/// Where the body of a response goes.
enum ResponseOutput {
    case standardOutput
    case file(OutputFile)

    /// - Parameter path: A file, or `-` and `nil` for standard output.
    init(path: String?) throws(CommandFailure) {
        if let path, path != "-" {
            self = .file(try OutputFile(path))
        } else {
            self = .standardOutput
        }
    }

    /// Whether the body ends up in a file, by an option or by the shell's redirection.
    var isFile: Bool {
        switch self {
        case .file: true
        case .standardOutput: StandardOutput.isFile
        }
    }

    /// Whether the body is shown to someone at a terminal.
    var isTerminal: Bool {
        switch self {
        case .file: false
        case .standardOutput: isatty(STDOUT_FILENO) == 1
        }
    }

    /// Writes all bytes, waiting for as long as a reader takes.
    func write(_ data: Data) async throws {
        switch self {
        case .standardOutput: try await StandardOutput.write(data)
        case .file(let file): try file.write(data)
        }
    }

    /// Puts a file in its place, now that it is whole.
    func finish() throws(CommandFailure) {
        if case .file(let file) = self { try file.finish() }
    }

    /// Leaves nothing behind.
    func discard() {
        if case .file(let file) = self { file.discard() }
    }
}
