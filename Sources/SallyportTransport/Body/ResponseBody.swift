import Foundation
import HTTPTypes
import SallyportStorage

/// The body of a response: an asynchronous sequence of chunks of any size, which can be iterated once.
///
/// Transfer codings are decoded, and so are content codings that the transport supports. A body that ends early is an error.
public struct ResponseBody: AsyncSequence, Sendable {
    /// The number of bytes; `nil` if the server did not send it or decoding changes it.
    public let length: Int64?

    /// A Boolean value that indicates whether the transport decodes a content coding, so that digests of the encoded bytes do not apply.
    package let isDecoded: Bool

    /// The body before decoding, if the transport decodes a content coding and can provide it.
    package let encoded: EncodedBody?

    /// The source, which all copies of the body share.
    package let source: any ResponseBodySource

    /// Creates a body that reads from a transport.
    public init(length: Int64? = nil, source: any ResponseBodySource) {
        self.init(length: length, isDecoded: false, source: source)
    }

    package init(
        length: Int64? = nil,
        isDecoded: Bool,
        encoded: EncodedBody? = nil,
        source: any ResponseBodySource
    ) {
        self.length = length
        self.isDecoded = isDecoded
        self.encoded = encoded
        self.source = source
    }

    /// The trailer fields, which are available after the body has been read to its end.
    public var trailers: HTTPFields { source.trailers }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Throws: ``NetworkError/responseTooLarge(_:)`` if the body is longer, or the error that ended it early.
    public func collect(upTo limit: Int) async throws(NetworkError) -> Data {
        if let length, length > limit { throw tooLarge(limit) }
        if let complete = try source.readRest(upTo: limit) { return complete }
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
                "the body is longer than the \(Quantity.size(Int64(limit))) that are accepted",
                phase: .body,
                advice: SettingAdvice.raiseBodyLimit.rawValue
            )
        )
    }

    /// Discards the rest of the body. The engine closes its connection, or receives up to 64 KiB of the rest for a second if it can then
    /// reuse the connection. No call waits for that.
    public func cancel() {
        source.cancel()
    }

    /// Returns the bytes that arrive within a time, up to a number, and `true` if they are the complete body. An error ends them.
    package func beginning(
        upTo limit: Int,
        within time: Duration,
        by clock: TimeSource = .system
    ) async -> (bytes: Data, isComplete: Bool) {
        let beginning = Locked((bytes: Data(), isComplete: false))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    while let chunk = try await source.read() {
                        let isTooLong = beginning.withLock { beginning in
                            let left = limit - beginning.bytes.count
                            beginning.bytes += chunk.prefix(left)
                            return chunk.count > left
                        }
                        if isTooLong { return }
                    }
                    beginning.withLock { $0.isComplete = true }
                } catch {}
            }
            group.addTask { try? await clock.sleep(time) }
            await group.next()
            group.cancelAll()
        }
        return beginning.withLock { $0 }
    }

    /// An iterator over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: any ResponseBodySource

        /// Returns the next chunk; `nil` at the end of the body.
        public mutating func next() async throws -> Data? {
            try await source.read()
        }
    }

    /// Returns an iterator. All iterators of a body share one stream of bytes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source)
    }
}

/// The source of a ``ResponseBody``, implemented by transports.
public protocol ResponseBodySource: Sendable {
    /// Returns the next chunk, which is not empty; `nil` at the end. After the end or an error, the result stays the same.
    func read() async throws(NetworkError) -> Data?

    /// Returns the rest of the body, possibly empty, if it has been received completely; `nil` if a call of ``read()`` would wait, or if
    /// the rest is longer than a limit.
    ///
    /// A response is collected faster by a source that implements this method. The default implementation returns `nil`.
    ///
    /// - Parameter limit: The maximum number of bytes to return.
    func readRest(upTo limit: Int) throws(NetworkError) -> Data?

    /// A Boolean value that indicates whether the rest of the body has been received, so that no call of ``read()`` would wait.
    ///
    /// ``ResponseBody/cancel()`` is called for a body that is not needed and has not been received. The default implementation returns
    /// `false`.
    var isReceived: Bool { get }

    /// The trailer fields, which are empty before the end.
    var trailers: HTTPFields { get }

    /// Discards the rest: later reads fail with ``NetworkError/cancelled(_:)``.
    func cancel()
}

extension ResponseBodySource {
    /// Returns `nil`: the body is read in chunks.
    public func readRest(upTo limit: Int) throws(NetworkError) -> Data? { nil }

    /// Returns `false`: the body may not have been received.
    public var isReceived: Bool { false }
}

extension ResponseBody {
    /// An empty body.
    public static let empty = ResponseBody(Data())

    /// Creates a body that is in memory, which is one chunk.
    public init(_ data: Data, trailers: HTTPFields = [:]) {
        self.init(data, trailers: trailers, isDecoded: false)
    }

    package init(_ data: Data, trailers: HTTPFields, isDecoded: Bool) {
        let source = BufferedBody(data: data, trailers: trailers)
        self.init(length: Int64(data.count), isDecoded: isDecoded, source: source)
    }
}

private struct BufferedBody: ResponseBodySource {
    let trailers: HTTPFields
    /// The remaining bytes; `nil` after the body has been cancelled.
    private let unread: Locked<Data?>

    init(data: Data, trailers: HTTPFields) {
        unread = Locked(data)
        self.trailers = trailers
    }

    func read() async throws(NetworkError) -> Data? {
        let chunk = try readRest(upTo: .max)
        return chunk?.isEmpty == true ? nil : chunk
    }

    func readRest(upTo limit: Int) throws(NetworkError) -> Data? {
        try unread.withLock { unread throws(NetworkError) in
            guard let rest = unread else {
                throw .cancelled(NetworkFailure("the body was cancelled", phase: .body))
            }
            if rest.count > limit { return nil }
            unread = Data()
            return rest
        }
    }

    var isReceived: Bool { true }

    func cancel() {
        unread.withLock { if $0?.isEmpty == false { $0 = nil } }
    }
}
