import Foundation

/// What is known of a terminal.
enum Terminal {
    /// How many columns it has; `nil` for what is no terminal, or does not tell.
    static func columns(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { number($0.ws_col) } }

    /// How many rows it has; `nil` for what is no terminal, or does not tell.
    static func rows(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { number($0.ws_row) } }

    private static func size(of descriptor: Int32) -> winsize? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return size
    }

    private static func number(_ count: UInt16) -> Int? { count > 0 ? Int(count) : nil }
}
