import Foundation

/// What is known of a terminal.
enum Terminal {
    /// How many columns it has; `nil` for what is no terminal, or does not tell.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }
}
