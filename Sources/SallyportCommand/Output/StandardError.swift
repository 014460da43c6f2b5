import Foundation

/// Where everything goes that is not the body of a response.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func print(_ text: String, terminator: String = "\n") {
        try? FileHandle.standardError.write(contentsOf: Data((text + terminator).utf8))
    }
}
