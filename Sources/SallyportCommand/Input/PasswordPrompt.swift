import Foundation
import Sallyport

/// Asks the person at the terminal for a password, which is not shown while it is typed.
enum PasswordPrompt {
    /// Asks for the password of a user at a server.
    ///
    /// - Throws: ``CommandFailure`` if standard input is no terminal, or ends.
    static func password(of name: String, at url: String) async throws -> String {
        let name = VisibleText.line(name, longest: 100)
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .usage,
                """
                there is no password for \(name), and standard input is no terminal to ask for it at: use --netrc-file, \
                or a colon behind the name if the password is empty
                """
            )
        }
        let server = (try? HttpRequest(url: url).origin()).map { " at \($0)" } ?? ""
        guard let password = try await line(asking: "Password for \(name)\(server): ") else {
            throw CommandFailure(.usage, "standard input ended before there was a password for \(name)")
        }
        return password
    }

    /// Reads a line from standard input. If that is a terminal, asks for it, and does not show it.
    static func line(asking question: String) async throws -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return try await BlockingCall.run { readLine() } }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        StandardError.draw(question)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            StandardError.draw("\n")
        }
        return try await BlockingCall.run { readLine() }
    }
}
