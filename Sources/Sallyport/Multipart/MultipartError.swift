import Foundation
import SallyportTransport

/// Why what was to be a multipart body could not be read.
public enum MultipartError: Error, Sendable, Equatable {
    /// The content type, which is given, is not multipart or has no boundary that RFC 2046 allows.
    case noBoundary(contentType: String)
    /// The body ended without a line of the boundary.
    case boundaryNotFound
    /// The body ended before the line that ends the last part; so many parts had begun.
    case endedEarly(parts: Int)
    /// The headers of the part of this number, from 1, are longer than the limit, in bytes.
    case headersTooLarge(part: Int, limit: Int)
    /// A header of the part of this number, from 1, is not `Name: value`; the text says what is wrong.
    case invalidHeader(part: Int, String)
    /// There are more parts than this limit.
    case tooManyParts(limit: Int)
    /// The content of the part of this number, from 1, is longer than the limit, in bytes.
    case partTooLarge(part: Int, limit: Int64)
    /// What is before the first part or after the last is longer than the limit, in bytes.
    case surroundingsTooLarge(limit: Int)
    /// The body of a part was read after the next part had been asked for, or by two readers at a time.
    case readOutOfTurn(part: Int)
}

extension MultipartError: CustomStringConvertible, LocalizedError {
    /// What is wrong, in one sentence.
    public var description: String {
        switch self {
        case .noBoundary(let contentType):
            "the content type \"\(VisibleText.line(String(contentType.prefix(100))))\" is not multipart with a valid boundary"
        case .boundaryNotFound: "the body has no line of the boundary that its content type announces"
        case .endedEarly(let parts): "the body ended early, in its part \(parts)"
        case .headersTooLarge(let part, let limit): "the headers of part \(part) are longer than \(limit) bytes"
        case .invalidHeader(let part, let problem): "a header of part \(part) \(problem)"
        case .tooManyParts(let limit): "the body has more than \(limit) parts"
        case .partTooLarge(let part, let limit): "part \(part) is longer than \(limit) bytes"
        case .surroundingsTooLarge(let limit): "more than \(limit) bytes are before the first part or after the last"
        case .readOutOfTurn(let part):
            "the body of part \(part) was read out of turn; read it once, before the next part is asked for"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
