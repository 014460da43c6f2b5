import ArgumentParser
import Foundation
import SallyportGateway

/// Hashes a password for the configuration of `serve --identity`.
struct HashPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash-password",
        abstract: "Reads a password from standard input, and prints its hash for --identity."
    )

    @Option(help: "The binary logarithm of the rounds of scrypt, 1 to 16: each step doubles time and memory.")
    var cost = 14

    func validate() throws {
        if !(1...16).contains(cost) { throw ValidationError("--cost needs a number from 1 to 16.") }
    }

    func run() throws {
        guard let password = Self.withoutEcho({ readLine() }), !password.isEmpty else {
            throw CommandFailure(.usage, "there is no password on standard input")
        }
        do {
            print(try PasswordHash(hashing: password, cost: cost).text)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// Asks at a terminal, which does not show what is typed.
    private static func withoutEcho<Result>(_ read: () -> Result) -> Result {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return read() }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        FileHandle.standardError.write(Data("Password: ".utf8))
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        defer {
            var before = before
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        return read()
    }
}
