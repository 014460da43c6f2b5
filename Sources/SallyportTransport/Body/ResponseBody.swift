import Foundation
import HTTPTypes

/// The body of a response: an asynchronous sequence of chunks of no fixed size, to be iterated once.
///
/// The bytes are those of the representation: transfer codings are taken off, and content codings too where the
/// transport decodes them. A body that ends early is an error, never a short success.
public struct ResponseBody: AsyncSequence, Sendable {
    /// The number of bytes to come, where the server announced it and no decoding changes it.
    public let length: Int64?

    /// Whether the transport takes a content coding off, so that digests of what was sent say nothing of the bytes.
    package let isDecoded: Bool

    private let source: any ResponseBodySource

    /// Makes a body that reads from a transport.
    public init(length: Int64? = nil, source: any ResponseBodySource) {
        self.init(length: length, isDecoded: false, source: source)
    }

    package init(length: Int64? = nil, isDecoded: Bool, source: any ResponseBodySource) {
        self.length = length
        self.isDecoded = isDecoded
        self.source = source
    }

    /// The trailer fields, once the body has been read to its end.
    public var trailers: HTTPFields { source.trailers }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The largest number of bytes to accept.
    /// - Throws: ``NetworkError/responseTooLarge(_:)`` when the body is longer, or the error that ended it early.
    public func collect(upTo limit: Int) async throws(NetworkError) -> Data {
        if let length, length > limit { throw tooLarge(limit) }
        guard var collected = try await source.read() else { return Data() }
        if collected.count > limit { throw tooLarge(limit) }
        while let chunk = try await source.read() {
            if chunk.count > limit - collected.count { throw tooLarge(limit) }
            collected.append(chunk)
        }
        return collected
    }

    private func tooLarge(_ limit: Int) -> NetworkError {
        source.cancel()
        return .responseTooLarge(
            NetworkFailure(
                "the body is longer than the \(limit) bytes that are accepted",
                phase: .body,
                advice: "raise the limit, or stream the body instead of collecting it"
            )
        )
    }

    /// Gives up the rest of the body.
    public func cancel() {
        source.cancel()
    }

    /// Reads the chunks in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: any ResponseBodySource

        /// The next chunk, or `nil` at the body's end.
        public mutating func next() async throws -> Data? {
            try await source.read()
        }
    }

    /// Starts reading. All iterators of a body share its one stream of bytes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source)
    }
}

/// Where the bytes of a ``ResponseBody`` come from; implemented by transports.
public protocol ResponseBodySource: Sendable {
    /// The next chunk, never empty, or `nil` at the end; after an error or the end, the same again.
    func read() async throws(NetworkError) -> Data?

    /// The trailer fields; empty before the end.
    var trailers: HTTPFields { get }

    /// Gives up the rest: later reads fail with ``NetworkError/cancelled(_:)``.
    func cancel()
}
