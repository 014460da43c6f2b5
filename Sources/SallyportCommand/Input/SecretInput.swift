import Foundation
import Sallyport
import SallyportStorage

/// Reads secrets from files. In the arguments of a process, other users could see them.
enum SecretInput {
    /// Reads a secret, without leading and trailing whitespace. Cancellation ends the wait for standard input or a pipe.
    ///
    /// - Parameters:
    ///   - path: The file, or `-` for standard input.
    ///   - kind: The kind of secret, such as "token", for the error message.
    /// - Throws: ``CommandFailure`` if the file is empty, too long or cannot be read; `CancellationError`.
    static func text(_ path: String, kind: String) async throws -> String {
        let source = path == "-" ? InputSource.standardInput : .file(path)
        let data = try await source.data(upTo: InputSource.maximumSettingsSize)
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.isEmpty else { return text }
        let location = path == "-" ? "on standard input" : "in the file \(path)"
        throw CommandFailure(.unreadableInput, "there is no \(kind) \(location)")
    }
}

/// Asks the user at the terminal for a password, without showing it.
enum PasswordPrompt {
    /// Asks for the password of a user at a server.
    ///
    /// - Throws: ``CommandFailure`` if standard input is not a terminal, or ends.
    static func password(of name: String, at url: String) async throws -> String {
        let name = VisibleText.line(name, longest: 100)
        guard TerminalPrompt.isAvailable else {
            throw CommandFailure(
                .usage,
                """
                there is no password for \(name), and standard input is not a terminal to ask for it; use --netrc-file, set \
                SALLYPORT_PASSWORD for --user, or add a colon after the name if the password is empty
                """
            )
        }
        let server = (try? HttpRequest(url: url).origin()).map { " at \($0)" } ?? ""
        return try await ask("\(name)\(server)", ended: name)
    }

    /// Asks for the password of a file with an encrypted private key.
    ///
    /// - Throws: ``CommandFailure`` if standard input is not a terminal, or ends.
    static func password(ofFile path: String) async throws -> String {
        let path = VisibleText.line(path, longest: 200)
        guard TerminalPrompt.isAvailable else {
            throw CommandFailure(
                .clientCertificate,
                """
                the private key in \(path) is encrypted, and standard input is not a terminal to ask for its password; use \
                --key-password-file or set SALLYPORT_KEY_PASSWORD
                """
            )
        }
        return try await ask(path, ended: path)
    }

    private static func ask(_ text: String, ended name: String) async throws -> String {
        guard let password = try await TerminalPrompt.line(asking: "Password for \(text): ", isHidden: true) else {
            throw CommandFailure(.usage, "standard input ended before the password for \(name)")
        }
        return password
    }
}
