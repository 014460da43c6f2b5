import Foundation
import Sallyport

/// Standard error, which receives all output except bodies of responses.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The number of columns of the terminal, or else that in `COLUMNS`; 80 if neither is known.
    static var columns: Int {
        Terminal.columns(of: STDERR_FILENO)
            ?? ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// The number of rows of the terminal; 24 if it is unknown.
    static var rows: Int { Terminal.rows(of: STDERR_FILENO) ?? 24 }

    /// Writes lines of text. Control characters, which may come from a server, are escaped.
    static func print(_ text: String) {
        draw(VisibleText.lines(text) + "\n")
    }

    /// Writes text that may contain terminal control sequences, such as progress bars. The caller must escape all
    /// external text, such as text from servers, arguments and file names.
    static func draw(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// The size of a terminal.
enum Terminal {
    /// Returns the number of columns; `nil` if the descriptor is not a terminal, or its size is unknown.
    static func columns(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { number($0.ws_col) } }

    /// Returns the number of rows; `nil` if the descriptor is not a terminal, or its size is unknown.
    static func rows(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { number($0.ws_row) } }

    private static func size(of descriptor: Int32) -> winsize? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return size
    }

    private static func number(_ count: UInt16) -> Int? { count > 0 ? Int(count) : nil }
}
