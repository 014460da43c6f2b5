import ArgumentParser
import Foundation

/// A header of the form `Name: value`. As in curl, `Name:` is the removal of a header, and `Name;` a header without a value.
struct HeaderArgument: Sendable {
    let name: String
    let value: String
    /// A Boolean value that indicates whether the header is removed from the request.
    let isRemoval: Bool

    /// - Returns: `nil` for text without a colon or without a name.
    init?(_ text: some StringProtocol) {
        guard let colon = text.firstIndex(of: ":") else {
            guard text.last == ";", text.count > 1 else { return nil }
            (name, value, isRemoval) = (String(text.dropLast()), "", false)
            return
        }
        guard colon != text.startIndex else { return nil }
        name = String(text[..<colon])
        value = String(text[text.index(after: colon)...])
        isRemoval = value.allSatisfy(\.isWhitespace)
    }
}

/// An argument that contains a header or names a source of headers: `Name: value`, `@file` or `@-`.
enum HeaderSource: Sendable {
    case header(HeaderArgument)
    case lines(InputSource, name: String)

    /// - Throws: A usage error for any other argument.
    init(_ argument: String) throws {
        if argument.hasPrefix("@") {
            self = .lines(
                InputSource(argument),
                name: argument == "@-" ? "standard input" : String(argument.dropFirst())
            )
        } else if let header = HeaderArgument(argument) {
            self = .header(header)
        } else {
            throw ValidationError("It must have the form 'Name: value', or @file for a file with such lines.")
        }
    }

    /// A Boolean value that indicates whether the headers are read from standard input.
    var isStandardInput: Bool { if case .lines(.standardInput, _) = self { true } else { false } }

    /// Returns the headers, which may be read from a file. Empty lines are skipped.
    ///
    /// - Throws: A failure that names a file that cannot be read, or the number of a line that is not a header;
    ///   `CancellationError`.
    func headers() async throws -> [HeaderArgument] {
        switch self {
        case .header(let header): return [header]
        case .lines(let source, let name):
            var headers: [HeaderArgument] = []
            let data = try await source.data(upTo: InputSource.maximumSettingsSize)
            let text = String(decoding: data, as: UTF8.self)
            let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
            for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
                guard let header = HeaderArgument(line) else {
                    // The message does not quote the line, which may be a secret.
                    throw CommandFailure(
                        .usage,
                        "line \(index + 1) of \(name) is not a header: it must have the form 'Name: value'"
                    )
                }
                headers.append(header)
            }
            return headers
        }
    }
}
