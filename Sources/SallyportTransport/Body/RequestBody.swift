import Foundation
import SallyportStorage

/// The content of a request.
public enum RequestBody: Sendable {
    /// No body. Methods that usually have one are sent `Content-Length: 0`.
    case none

    /// Bytes in memory.
    case data(Data)

    /// The content of a file, read while it is sent. With the engine, the exchange fails if the file changes meanwhile.
    case file(URL)

    /// Bytes that are produced while they are sent, no faster than the server receives them.
    case stream(BodyStream)
}

/// A body that is produced while it is sent.
///
/// The sequence must end when its task is cancelled, as the call waits for it.
///
/// ```swift
/// request.body = .stream(BodyStream(AsyncStream<Data> { … }))
/// ```
public struct BodyStream: Sendable {
    /// The number of bytes, sent as `Content-Length`; `nil` sends the body chunked.
    ///
    /// If the sequence produces another number of bytes, the exchange fails.
    public let length: Int64?

    /// A Boolean value that indicates whether each iteration produces the same bytes, so that the request can be sent again.
    public let isReplayable: Bool

    /// Returns a value that is equal for equal bytes, even in later processes; `nil` if it is not available.
    package let fingerprint: (@Sendable () -> String?)?

    package typealias Write = @Sendable (Data) async throws -> Void

    /// Opens a reader for transports, which reads the same bytes as ``forEachChunk(_:)``.
    package let open: (@Sendable () async throws -> any BodyReader)?

    private let produce: @Sendable (Write) async throws -> Void
    private let isConsumed = Locked(false)

    /// The identity of the stream, which its copies share.
    package var identity: ObjectIdentifier { ObjectIdentifier(isConsumed) }

    /// Creates a body from an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - chunks: The sequence, which is iterated each time that the request is sent. Empty chunks are skipped.
    ///   - length: The total number of bytes, if known.
    ///   - isReplayable: A Boolean value that indicates whether each iteration of `chunks` produces the same bytes.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil,
        isReplayable: Bool = false
    ) where Chunks.Element == Data {
        self.length = length
        self.isReplayable = isReplayable
        fingerprint = nil
        open = nil
        produce = { write in
            for try await chunk in chunks where !chunk.isEmpty { try await write(chunk) }
        }
    }

    /// Creates a body from a closure that writes one chunk at a time.
    package init(
        length: Int64?,
        isReplayable: Bool,
        fingerprint: (@Sendable () -> String?)? = nil,
        produce: @escaping @Sendable (Write) async throws -> Void
    ) {
        self.length = length
        self.isReplayable = isReplayable
        self.fingerprint = fingerprint
        open = nil
        self.produce = { write in
            try await produce { chunk in if !chunk.isEmpty { try await write(chunk) } }
        }
    }

    /// Creates a body that is opened and read each time that the request is sent.
    package init(length: Int64?, opening open: @escaping @Sendable () async throws -> any BodyReader) {
        self.length = length
        isReplayable = true
        fingerprint = nil
        self.open = open
        produce = { write in try await open().forEachPiece(write) }
    }

    /// The maximum number of bytes of a file to read at a time.
    package static let pieceSize = 256 << 10

    /// A Boolean value that indicates whether the stream has been sent, at least in part, and cannot be sent again.
    fileprivate var isSpent: Bool { !isReplayable && isConsumed.withLock { $0 } }

    /// Passes the chunks to `write` in order, one at a time.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the stream has been sent before and is not replayable.
    package func forEachChunk(_ write: Write) async throws {
        let wasConsumed = isConsumed.withLock { isConsumed in
            defer { isConsumed = true }
            return isConsumed
        }
        if wasConsumed, !isReplayable {
            throw NetworkError.invalidRequest(
                NetworkFailure(
                    "the body is a stream that has been sent before",
                    advice: SettingAdvice.newBodyStream.rawValue
                )
            )
        }
        try await produce(write)
    }
}

extension RequestBody {
    /// A Boolean value that indicates whether the same bytes can be sent again.
    public var isReplayable: Bool {
        guard case .stream(let stream) = self else { return true }
        return stream.isReplayable
    }

    /// A Boolean value that indicates whether the body is a stream that has been sent, at least in part, and cannot be sent again.
    public var isSpent: Bool {
        guard case .stream(let stream) = self else { return false }
        return stream.isSpent
    }

    /// Passes the bytes to a closure in order, one chunk at a time, for a transport. An empty body has no chunks.
    ///
    /// ```swift
    /// try await request.body.forEachChunk { chunk in try await connection.write(chunk) }
    /// ```
    ///
    /// - Parameter write: The closure. The next chunk is produced when it returns.
    /// - Throws: The error of `write`; ``NetworkError/invalidRequest(_:)`` if a file cannot be read, or a stream has been sent before
    ///   and cannot be sent again; the error of the stream.
    public func forEachChunk(_ write: @Sendable (Data) async throws -> Void) async throws {
        switch self {
        case .none: break
        case .data(let data): if !data.isEmpty { try await write(data) }
        case .file(let url):
            do {
                try await SentFile.open(url).forEachPiece(write)
            } catch let problem as SentFile.Problem {
                throw problem.networkError(url)
            }
        case .stream(let stream): try await stream.forEachChunk(write)
        }
    }

    /// Returns all bytes, for a transport that does not send bodies in chunks.
    ///
    /// ```swift
    /// urlRequest.httpBody = try await request.body.collect(upTo: 16 << 20)
    /// ```
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if there are more bytes, or if a stream does not have its declared length; the
    ///   errors of ``forEachChunk(_:)``.
    public func collect(upTo limit: Int) async throws -> Data {
        let collected = Locked(Data())
        try await forEachChunk { chunk in
            try collected.withLock { collected in
                guard chunk.count <= limit - collected.count else {
                    throw NetworkError.invalidRequest(
                        NetworkFailure(
                            "the body is longer than the \(Quantity.size(Int64(limit))) that can be sent from memory"
                        )
                    )
                }
                collected.append(chunk)
            }
        }
        let data = collected.withLock { $0 }
        if case .stream(let stream) = self, let length = stream.length, length != data.count {
            throw NetworkError.invalidRequest("the body has \(data.count) bytes, not the declared \(length)")
        }
        return data
    }
}
