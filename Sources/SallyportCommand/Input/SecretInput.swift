import Foundation

/// A secret of one line that an option names the file of, as nobody should see it on the command line.
enum SecretInput {
    /// - Parameters:
    ///   - path: The file, or `-` for standard input.
    ///   - what: What it should hold, for the failure.
    static func text(_ path: String, what: String) throws(CommandFailure) -> String {
        let source = path == "-" ? InputSource.standardInput : .file(path)
        let text = String(decoding: try source.data(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.isEmpty else { return text }
        let place = path == "-" ? "on standard input" : "in the file \(path)"
        throw CommandFailure(.unreadableInput, "there is no \(what) \(place)")
    }
}
