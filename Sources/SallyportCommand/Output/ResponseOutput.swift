import Foundation
import Sallyport
import SallyportStorage

/// The destination of the body of a response.
enum ResponseOutput {
    /// Standard output, which receives the bytes unchanged.
    case standardOutput
    /// A terminal on standard output, which receives text with control characters escaped.
    case terminal(Locked<VisibleBytes>)
    case file(OutputFile)

    /// - Parameters:
    ///   - path: The path of a file; `-` or `nil` for standard output.
    ///   - isRaw: If `true`, a terminal also receives the bytes unchanged.
    init(path: String?, isRaw: Bool = false) throws(CommandFailure) {
        if let path, path != "-" {
            self = .file(try OutputFile(path))
        } else if !isRaw, isatty(STDOUT_FILENO) == 1 {
            self = .terminal(Locked(VisibleBytes()))
        } else {
            self = .standardOutput
        }
    }

    /// A Boolean value that indicates whether the body goes to a file, by an option or by redirection in the shell.
    var isFile: Bool {
        switch self {
        case .file: true
        case .terminal: false
        case .standardOutput: StandardOutput.isFile
        }
    }

    /// A Boolean value that indicates whether the body is shown on a terminal.
    var isTerminal: Bool {
        switch self {
        case .file: false
        case .terminal: true
        case .standardOutput: isatty(STDOUT_FILENO) == 1
        }
    }

    /// Writes all bytes. Suspends until a slow reader has accepted them.
    func write(_ data: Data) async throws {
        switch self {
        case .standardOutput: try await StandardOutput.write(data)
        case .terminal(let text): try await StandardOutput.write(text.withLock { $0.escaped(data) })
        case .file(let file): try file.write(data)
        }
    }

    /// Writes text. The caller has escaped its control characters, and may have added the control sequences of colors.
    func draw(_ text: String) async throws {
        switch self {
        case .standardOutput: try await StandardOutput.write(Data(text.utf8))
        case .terminal(let bytes): try await StandardOutput.write(bytes.withLock { $0.end() } + Data(text.utf8))
        case .file(let file): try file.write(Data(text.utf8))
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

    /// Removes an incomplete file.
    func discard() {
        if case .file(let file) = self { file.discard() }
    }
}

/// Escapes the control characters of UTF-8 text that arrives in pieces, in the same manner as ``VisibleText``.
///
/// Invalid UTF-8 is replaced by U+FFFD, because it may be control characters in another encoding.
struct VisibleBytes: Sendable {
    /// The beginning of a character or line break that continues in the next piece.
    private var held = Data()

    /// Returns the complete characters of the next piece, escaped.
    mutating func escaped(_ piece: Data) -> Data {
        held += piece
        let complete = held.dropLast(Self.unfinished(held))
        defer { held = Data(held[complete.endIndex...]) }
        return Self.escaped(complete)
    }

    /// Returns the remaining text at the end of the input.
    mutating func end() -> Data {
        defer { held = Data() }
        return Self.escaped(held)
    }

    private static func escaped(_ data: Data) -> Data {
        Data(VisibleText.lines(String(decoding: data, as: UTF8.self)).utf8)
    }

    /// Returns the number of bytes at the end that begin an incomplete character or line break.
    static func unfinished(_ data: Data) -> Int {
        if data.last == UInt8(ascii: "\r") { return 1 }
        for (following, byte) in data.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > following + 1 ? following + 1 : 0
        }
        return 0
    }
}
