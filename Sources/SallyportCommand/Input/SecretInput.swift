import Foundation

/// A secret of one line in a file that an option names, as arguments can be seen by others.
enum SecretInput {
    /// Returns the secret. Cancellation ends the wait for it.
    ///
    /// - Parameters:
    ///   - path: The file, or `-` for standard input.
    ///   - what: The kind of secret, for the failure.
    /// - Throws: ``CommandFailure`` if there is none, or it cannot be read; `CancellationError`.
    static func text(_ path: String, what: String) async throws -> String {
        let source = path == "-" ? InputSource.standardInput : .file(path)
        let data = try await source.data()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.isEmpty else { return text }
        let place = path == "-" ? "on standard input" : "in the file \(path)"
        throw CommandFailure(.unreadableInput, "there is no \(what) \(place)")
    }
}
