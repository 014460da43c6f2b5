import Foundation
import Sallyport

/// Where everything goes that is not the body of a response.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// How many columns a line may have; 80 where nothing tells.
    static var columns: Int { Terminal.columns(of: STDERR_FILENO) ?? 80 }

    /// How many lines it shows at a time; 24 where nothing tells.
    static var rows: Int { Terminal.rows(of: STDERR_FILENO) ?? 24 }

    /// Writes lines of text; control characters in them, which may come from a server, are escaped.
    static func print(_ text: String) {
        draw(VisibleText.lines(text) + "\n")
    }

    /// Writes a text that may contain terminal control sequences, as for progress bars. Parts of it that come from
    /// elsewhere must already be escaped.
    static func draw(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
