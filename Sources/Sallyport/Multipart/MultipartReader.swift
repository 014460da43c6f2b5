import Foundation
import HTTPTypes
import SallyportTransport

/// Reads a multipart body part by part while it comes: `multipart/form-data` (RFC 7578), and the others of RFC 2046.
///
/// ```swift
/// for try await part in try MultipartReader(response.bodyStream, contentType: type) {
///     print(part.name ?? "", part.filename ?? "")
///     for try await chunk in part.body { size += chunk.count }
/// }
/// ```
///
/// It is iterated once. No more than a chunk and the headers of a part are in memory. A body that does not end with the
/// line that it has to end with is an error.
public struct MultipartReader: AsyncSequence, Sendable {
    private let feed: MultipartFeed

    /// Makes a reader of a body with the boundary of its content type.
    ///
    /// - Parameters:
    ///   - chunks: The body, iterated once.
    ///   - contentType: The header `Content-Type` that came with it.
    ///   - limits: How much is accepted.
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

    /// One part after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let feed: MultipartFeed

        /// The next part, or `nil` after the last. What was not read of the part before is skipped.
        ///
        /// - Throws: ``MultipartError``, or the error with which the body ended.
        public mutating func next() async throws -> MultipartReader.Part? {
            try await feed.nextPart()
        }
    }

    /// Starts reading. All iterators share the one stream of bytes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed) }
}

extension MultipartReader {
    /// A field or file of a multipart body.
    public struct Part: Sendable {
        /// Its headers.
        public let headers: HttpHeaders

        /// The field's name.
        public let name: String?

        /// The name that the sender gives to the file, if it is one.
        ///
        /// It may be anything, a path to a place where nothing may be written too.
        public let filename: String?

        /// The content, to be read before the next part is asked for.
        public let body: Body

        /// The media type: `text/plain` unless its headers tell another (RFC 7578, section 4.4).
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

    /// The content of a part: chunks of no fixed size.
    public struct Body: AsyncSequence, Sendable {
        let feed: MultipartFeed
        let part: Int

        /// Reads the chunks in order.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let body: Body

            /// The next chunk, never empty, or `nil` at the part's end.
            ///
            /// - Throws: ``MultipartError``, or the error with which the body ended.
            public mutating func next() async throws -> Data? {
                try await body.feed.nextChunk(of: body.part)
            }
        }

        /// Starts reading. All iterators share the one stream of bytes.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

        /// Reads it to its end.
        ///
        /// - Parameter limit: The largest number of bytes to accept.
        /// - Throws: ``MultipartError/partTooLarge(part:limit:)`` if it is longer, or why it ended early.
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
