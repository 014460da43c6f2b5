import Foundation
import HTTPTypes
import SallyportTransport

/// A reader for multipart bodies, which returns each part as it is received: `multipart/form-data` (RFC 7578) and the other types of
/// RFC 2046.
///
/// ```swift
/// for try await part in try MultipartReader(response.bodyStream, contentType: type) {
///     print(part.name ?? "", part.filename ?? "")
///     for try await chunk in part.body { size += chunk.count }
/// }
/// ```
///
/// Iterate over it once. It keeps at most a chunk and the headers of a part in memory. A body without a closing boundary line is an
/// error.
public struct MultipartReader: AsyncSequence, Sendable {
    private let feed: MultipartFeed

    /// Creates a reader for a body with the boundary of its content type.
    ///
    /// - Parameters:
    ///   - chunks: The chunks of the body, which are iterated over once.
    ///   - contentType: The value of the `Content-Type` header.
    ///   - limits: The limits for the body.
    /// - Throws: ``MultipartError/noBoundary(contentType:)``.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        contentType: String,
        limits: MultipartLimits = MultipartLimits()
    ) throws(MultipartError) where Chunks.Element == Data {
        guard let boundary = MultipartBoundary.of(contentType: contentType) else {
            throw .noBoundary(contentType: contentType)
        }
        feed = MultipartFeed(MultipartSource(chunks), MultipartParser(boundary: boundary, limits: limits))
    }

    /// An iterator over the parts.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let feed: MultipartFeed

        /// Returns the next part, or `nil` after the last. The unread content of the previous part is skipped.
        ///
        /// - Throws: ``MultipartError``, or the error of the body.
        public mutating func next() async throws -> MultipartReader.Part? {
            try await feed.nextPart()
        }
    }

    /// Returns an iterator. All iterators share one stream of bytes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed) }
}

extension MultipartReader {
    /// A field or file of a multipart body.
    public struct Part: Sendable {
        /// The headers of the part.
        public let headers: HttpHeaders

        /// The name of the field.
        public let name: String?

        /// The file name from the sender, if the part is a file.
        ///
        /// It may be any text, including a path outside the intended directory.
        public let filename: String?

        /// The content. Read it before requesting the next part.
        public let body: Body

        /// The media type, `text/plain` if the headers contain none (RFC 7578, section 4.4).
        public var contentType: String {
            headers[NetworkConstants.headerContentType]?.first ?? NetworkConstants.contentTypeText
        }

        init(_ fields: HTTPFields, body: Body) {
            headers = HttpHeaders(fields)
            self.body = body
            let names = PartDisposition(fields)
            name = names.name
            filename = names.filename
        }
    }

    /// The content of a part, in chunks of any size.
    public struct Body: AsyncSequence, Sendable {
        let feed: MultipartFeed
        let part: Int

        /// An iterator over the chunks.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let body: Body

            /// Returns the next chunk, never empty, or `nil` at the end of the part.
            ///
            /// - Throws: ``MultipartError``, or the error of the body.
            public mutating func next() async throws -> Data? {
                try await body.feed.nextChunk(of: body.part)
            }
        }

        /// Returns an iterator. All iterators share one stream of bytes.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

        /// Reads the content to its end.
        ///
        /// - Parameter limit: The maximum number of bytes.
        /// - Throws: ``MultipartError/partTooLarge(part:limit:)`` if the content is longer, or the error of the body.
        public func collect(upTo limit: Int) async throws -> Data {
            var collected = Data()
            for try await chunk in self {
                guard chunk.count <= limit - collected.count else {
                    throw MultipartError.partTooLarge(part: part, limit: Int64(limit))
                }
                collected += chunk
            }
            return collected
        }
    }
}

/// The limits for a multipart body.
public struct MultipartLimits: Sendable, Hashable {
    /// The maximum number of parts. The default is 10,000.
    public var parts: Int

    /// The maximum size of the headers of a part in bytes. The default is 16 KiB.
    public var headerBytes: Int

    /// The maximum size of the content of a part in bytes; `nil`, the default, for no limit.
    public var partBytes: Int64?

    /// The maximum number of bytes before the first part, and of bytes after the last, which are skipped. The default is 64 KiB.
    public var surroundingBytes: Int

    /// Creates limits.
    public init(
        parts: Int = 10_000,
        headerBytes: Int = 16 << 10,
        partBytes: Int64? = nil,
        surroundingBytes: Int = 64 << 10
    ) {
        self.parts = parts
        self.headerBytes = headerBytes
        self.partBytes = partBytes
        self.surroundingBytes = surroundingBytes
    }
}

/// The names in the `Content-Disposition` header of a part (RFC 7578, section 4.2), in the syntax of the HTML Standard.
private struct PartDisposition {
    private(set) var name: String?
    private(set) var filename: String?

    init(_ fields: HTTPFields) {
        guard let field = fields[fields: .contentDisposition].first else { return }
        var scanner = HeaderScanner(field.withUnsafeBytesOfValue(Array.init))
        _ = scanner.leadingValue()
        var extended: String?
        while let parameter = scanner.parameterName() {
            switch parameter {
            case "name":
                let value = Self.unescaped(scanner.valueInForm())
                name = name ?? value
            case "filename":
                let value = Self.unescaped(scanner.valueInForm())
                filename = filename ?? value
            case "filename*":
                // Forms must not use it, but some senders do.
                let value = ExtendedValue.decoded(scanner.value())
                extended = extended ?? value
            default:
                _ = scanner.valueInForm()
            }
        }
        filename = filename ?? extended
    }

    /// Decodes the three escapes of the HTML Standard. Other percent signs are literal.
    private static func unescaped(_ value: [UInt8]) -> String {
        guard value.contains(UInt8(ascii: "%")) else { return HeaderScanner.text(value) }
        var unescaped: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            let escaped = byte == UInt8(ascii: "%") ? escapes[String(decoding: rest.prefix(2), as: UTF8.self)] : nil
            unescaped.append(escaped ?? byte)
            if escaped != nil { rest = rest.dropFirst(2) }
        }
        return HeaderScanner.text(unescaped)
    }

    private static let escapes: [String: UInt8] = [
        "22": UInt8(ascii: "\""), "0D": UInt8(ascii: "\r"), "0A": UInt8(ascii: "\n"),
        "0d": UInt8(ascii: "\r"), "0a": UInt8(ascii: "\n"),
    ]
}
