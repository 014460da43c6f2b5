import Foundation
import Testing

/// A text argument of a test. The test's output shows only the beginning and the length of a long text.
public struct TextArgument: Sendable, ExpressibleByStringLiteral, CustomTestStringConvertible {
    /// The whole text.
    public let text: String

    /// Creates an argument from a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Creates an argument from a literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// The text, or its beginning and length if it is long.
    public var testDescription: String {
        let count = text.utf8.count
        return count <= 100 ? text.debugDescription : "\(String(text.prefix(40)).debugDescription)… (\(count) bytes)"
    }
}

/// Records an issue unless two byte sequences are equal, with their lengths and the position of the first difference.
///
/// `#expect(bytes == expected)` would compute the smallest difference, which takes a long time, and print it byte by byte.
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
