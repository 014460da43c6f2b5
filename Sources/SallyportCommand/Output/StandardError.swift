import Foundation

/// Where everything goes that is not the body of a response.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// How many columns a line may have; 80 where nothing tells.
    static var columns: Int { Terminal.columns(of: STDERR_FILENO) ?? 80 }

    /// How many lines it shows at a time; 24 where nothing tells.
    static var rows: Int { Terminal.rows(of: STDERR_FILENO) ?? 24 }

    static func print(_ text: String, terminator: String = "\n") {
        try? FileHandle.standardError.write(contentsOf: Data((text + terminator).utf8))
    }
}
