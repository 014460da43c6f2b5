import Foundation
import Sallyport

/// Where the body of a response goes.
enum ResponseOutput {
    /// Standard output, which gets the bytes as they came.
    case standardOutput
    /// Standard output that is a terminal, on which control characters are escaped.
    case terminal(Locked<VisibleBytes>)
    case file(OutputFile)

    /// - Parameters:
    ///   - path: A file, or `-` and `nil` for standard output.
    ///   - isRaw: If `true`, a terminal gets the bytes as they came, too.
    init(path: String?, isRaw: Bool = false) throws(CommandFailure) {
        if let path, path != "-" {
            self = .file(try OutputFile(path))
        } else if !isRaw, isatty(STDOUT_FILENO) == 1 {
            self = .terminal(Locked(VisibleBytes()))
        } else {
            self = .standardOutput
        }
    }

    /// Whether the body ends up in a file, by an option or by the shell's redirection.
    var isFile: Bool {
        switch self {
        case .file: true
        case .terminal: false
        case .standardOutput: StandardOutput.isFile
        }
    }

    /// Whether the body is shown to someone at a terminal.
    var isTerminal: Bool {
        switch self {
        case .file: false
        case .terminal: true
        case .standardOutput: isatty(STDOUT_FILENO) == 1
        }
    }

    /// Writes all bytes, waiting for as long as a reader takes.
    func write(_ data: Data) async throws {
        switch self {
        case .standardOutput: try await StandardOutput.write(data)
        case .terminal(let text): try await StandardOutput.write(text.withLock { $0.escaped(data) })
        case .file(let file): try file.write(data)
        }
    }

    /// Completes the output: moves a file to its final path, or writes the remaining text to a terminal.
    func finish() async throws {
        switch self {
        case .standardOutput: break
        case .terminal(let text): try await StandardOutput.write(text.withLock { $0.end() })
        case .file(let file): try file.finish()
        }
    }

    /// Leaves nothing behind.
    func discard() {
        if case .file(let file) = self { file.discard() }
    }
}
