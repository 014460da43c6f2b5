import Foundation
import SallyportTransport

/// An error in reading a multipart body.
public enum MultipartError: Error, Sendable, Equatable {
    /// The content type is not multipart, or has no boundary that RFC 2046 allows.
    case noBoundary(contentType: String)
    /// The body contains no boundary line.
    case boundaryNotFound
    /// The body ended before the closing boundary line, after this number of parts had begun.
    case endedEarly(parts: Int)
    /// The headers of the part of this number, from 1, exceed the limit in bytes.
    case headersTooLarge(part: Int, limit: Int)
    /// A header of the part of this number, from 1, is malformed. The text states the reason.
    case invalidHeader(part: Int, String)
    /// The number of parts exceeds the limit.
    case tooManyParts(limit: Int)
    /// The content of the part of this number, from 1, exceeds the limit in bytes.
    case partTooLarge(part: Int, limit: Int64)
    /// The bytes before the first part or after the last part exceed the limit.
    case surroundingsTooLarge(limit: Int)
    /// The body of a part was read after the next part was requested, or by two readers concurrently.
    case readOutOfTurn(part: Int)
}

extension MultipartError: CustomStringConvertible, LocalizedError {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .noBoundary(let contentType):
            "the content type \"\(VisibleText.line(String(contentType.prefix(100))))\" is not multipart with a valid boundary"
        case .boundaryNotFound: "the body does not contain the boundary of its content type"
        case .endedEarly(let parts): "the body ended early, in its part \(parts)"
        case .headersTooLarge(let part, let limit): "the headers of part \(part) are longer than \(limit) bytes"
        case .invalidHeader(let part, let problem): "a header of part \(part) \(problem)"
        case .tooManyParts(let limit): "the body has more than \(limit) parts"
        case .partTooLarge(let part, let limit): "part \(part) is longer than \(limit) bytes"
        case .surroundingsTooLarge(let limit): "more than \(limit) bytes are before the first part or after the last"
        case .readOutOfTurn(let part):
            "the body of part \(part) was read out of turn; read it once, before the next part is requested"
        }
    }

    /// The ``description``.
    public var errorDescription: String? { description }
}
