import Foundation
import Testing

/// A text argument of a test. The test's output shows only the beginning and the length of a long one.
public struct TextArgument: Sendable, ExpressibleByStringLiteral, CustomTestStringConvertible {
    /// The whole text.
    public let text: String

    /// Makes an argument of a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Makes an argument of a literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// The text, or its beginning and length if it is long.
    public var testDescription: String {
        let count = text.utf8.count
        return count <= 100 ? text.debugDescription : "\(String(text.prefix(40)).debugDescription)… (\(count) bytes)"
    }
}

/// Records an issue unless two sequences of bytes are equal, with their lengths and the place of the first difference.
///
/// `#expect(bytes == expected)` would search for the smallest change that makes one of the other, which takes long, and
/// print it byte by byte.
public func expectSame(
    _ bytes: Data?,
    _ expected: Data?,
    _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if bytes == expected { return }
    func length(_ data: Data?) -> String { data.map { "\($0.count) bytes" } ?? "no bytes" }
    let common = zip(bytes ?? Data(), expected ?? Data()).prefix { $0 == $1 }.count
    let difference = "\(length(bytes)) instead of \(length(expected)), the same up to byte \(common)"
    Issue.record("\(difference)\(comment.isEmpty ? "" : ": \(comment)")", sourceLocation: sourceLocation)
}
