import Foundation

/// What a request carries after its head.
public enum RequestBody: Sendable {
    /// No body. Methods that usually have one are sent `Content-Length: 0`.
    case none

    /// Bytes in memory.
    case data(Data)

    /// The whole of a file, read while it is sent. One that is changed while the engine sends it fails the exchange.
    case file(URL)

    /// Bytes produced while they are sent, at the pace at which the server takes them.
    case stream(BodyStream)
}

/// A body that is produced while it is sent.
///
/// The sequence has to end when its task is cancelled, as asynchronous sequences do: a call lasts as long as it does.
///
/// ```swift
/// request.body = .stream(BodyStream(AsyncStream<Data> { … }))
/// ```
public struct BodyStream: Sendable {
    /// The number of bytes, sent as `Content-Length`; `nil` sends the body chunked.
    ///
    /// Producing more or fewer bytes than were announced fails the exchange.
    public let length: Int64?

    /// Whether the sequence gives the same bytes each time it is iterated, so that the request can be sent again.
    public let isReplayable: Bool

    /// The same for the same bytes, in later processes too; it gives `nil` if that cannot be known now.
    package let fingerprint: (@Sendable () -> String?)?

    package typealias Write = @Sendable (Data) async throws -> Void

    /// Opens what a transport can read by itself, which gives the same bytes as ``forEachChunk(_:)``.
    package let open: (@Sendable () async throws -> any BodyReader)?

    private let produce: @Sendable (Write) async throws -> Void
    private let isConsumed = Locked(false)

    /// Equal for copies of one stream, while one of them is there.
    package var identity: ObjectIdentifier { ObjectIdentifier(isConsumed) }

    /// Makes a body of an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - chunks: Iterated once for each time that the request is sent. Empty chunks are skipped.
    ///   - length: The number of bytes in all, if known.
    ///   - isReplayable: Whether `chunks` can be iterated more than once, giving the same bytes.
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

    /// Makes a body of a closure that writes it, each chunk once the last has been taken.
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

    /// Makes a body of something that is opened and read each time that the request is sent.
    package init(length: Int64?, opening open: @escaping @Sendable () async throws -> any BodyReader) {
        self.length = length
        isReplayable = true
        fingerprint = nil
        self.open = open
        produce = { write in try await open().forEachPiece(write) }
    }

    /// How much of a file is read at a time.
    package static let pieceSize = 256 << 10

    /// Whether it has been sent, if only in part, and cannot be sent again.
    fileprivate var isSpent: Bool { !isReplayable && isConsumed.withLock { $0 } }

    /// Gives each chunk to `write` in order, waiting for each to be taken.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` when it cannot be replayed and has been sent before.
    package func forEachChunk(_ write: Write) async throws {
        let wasConsumed = isConsumed.withLock { isConsumed in
            defer { isConsumed = true }
            return isConsumed
        }
        if wasConsumed, !isReplayable {
            throw NetworkError.invalidRequest(
                NetworkFailure(
                    "the body is a stream that has been sent before",
                    advice: "make a new stream for each call, or mark it as replayable if it can be iterated again"
                )
            )
        }
        try await produce(write)
    }
}

extension RequestBody {
    /// Whether the same bytes can be sent a second time.
    public var isReplayable: Bool {
        guard case .stream(let stream) = self else { return true }
        return stream.isReplayable
    }

    /// Whether it is a stream that has been sent, if only in part, and cannot be sent again.
    package var isSpent: Bool {
        guard case .stream(let stream) = self else { return false }
        return stream.isSpent
    }
}
