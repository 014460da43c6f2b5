import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// A limit on the rate at which bodies are sent and received.
///
/// All transfers that have the same limit share it: together, they transfer no more bytes per second. While a transfer waits, it reads
/// nothing from its connection or its file. This slows down the server or your own stream as well.
///
/// ```swift
/// let limit = try RateLimit(bytesPerSecond: 512 << 10)
/// var options = DownloadOptions()
/// options.rateLimit = limit
/// ```
///
/// For other requests, add the limit to a client. It then applies to the bodies of all requests, and to streamed response bodies after
/// their content codings have been decoded:
///
/// ```swift
/// let client = HttpClient.createClient { config in config.addWireInterceptor(limit) }
/// ```
public final class RateLimit: Sendable {
    /// The maximum number of bytes per second.
    public let bytesPerSecond: Int64

    /// The unused time that later bytes may use, so that short delays of the system do not lower the rate.
    private static let longestCredit = Duration.milliseconds(100)
    private static let maximumPieceSize = 256 << 10

    private let time: TimeSource
    /// The time at which the transfer of all bytes so far is complete at the maximum rate.
    private let end: Locked<Duration>

    /// Creates a limit.
    ///
    /// - Parameter bytesPerSecond: The maximum number of bytes per second, at least 1.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a number that is less than 1.
    public convenience init(bytesPerSecond: Int64) throws(NetworkError) {
        try self.init(bytesPerSecond: bytesPerSecond, time: .system)
    }

    /// Creates a limit that measures and waits with a time source.
    package init(bytesPerSecond: Int64, time: TimeSource) throws(NetworkError) {
        guard bytesPerSecond > 0 else {
            throw .invalidRequest(
                NetworkFailure(
                    "the rate limit of \(bytesPerSecond) bytes per second allows no transfer",
                    advice: "use a number that is greater than zero, or no limit"
                )
            )
        }
        self.bytesPerSecond = bytesPerSecond
        self.time = time
        end = Locked(time.now())
    }

    /// The maximum size of a piece, in bytes. At a low rate it is a tenth of a second's bytes, so that the transfer progresses evenly.
    private var pieceSize: Int { max(1, Int(clamping: min(bytesPerSecond / 10, Int64(Self.maximumPieceSize)))) }

    /// Returns the first piece of a chunk, after waiting until its bytes may be transferred.
    ///
    /// - Throws: `CancellationError`.
    func firstPiece(of chunk: Data) async throws -> Data {
        let piece = chunk.prefix(pieceSize)
        let cost = Duration.seconds(Double(piece.count) / Double(bytesPerSecond))
        let now = time.now()
        let delay = end.withLock { end in
            end = max(end, now - Self.longestCredit) + cost
            return end - now
        }
        if delay > .zero {
            do {
                try await time.sleep(delay)
            } catch {
                // The bytes are not transferred, so other transfers need not wait for them.
                end.withLock { $0 -= cost }
                throw error
            }
        }
        return piece
    }

    /// Passes a chunk to a closure in pieces, each as soon as its bytes may be transferred.
    ///
    /// - Throws: The error of the closure, or `CancellationError`.
    package func forEachPiece(of chunk: Data, _ body: (Data) async throws -> Void) async throws {
        var rest = chunk
        while !rest.isEmpty {
            let piece = try await firstPiece(of: rest)
            rest = rest.dropFirst(piece.count)
            try await body(piece)
        }
    }

    /// Returns a response body that is read no faster than the limit allows.
    package func limited(_ body: ResponseBody) -> ResponseBody {
        ResponseBody(
            length: body.length,
            isDecoded: body.isDecoded,
            encoded: body.encoded,
            source: LimitedResponseBody(body, by: self)
        )
    }

    /// Returns a request body that is sent no faster than the limit allows.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if a file cannot be read.
    fileprivate func limited(_ body: RequestBody) throws(NetworkError) -> RequestBody {
        let length: Int64?
        switch body {
        case .none: return .none
        case .data(let data): length = Int64(data.count)
        case .file(let url):
            do throws(SentFile.Problem) {
                length = try SentFile.version(of: url).size
            } catch {
                throw error.networkError(url, phase: nil)
            }
        case .stream(let stream): length = stream.length
        }
        return .stream(
            BodyStream(length: length, isReplayable: body.isReplayable) { [self] write in
                try await body.forEachChunk { chunk in try await forEachPiece(of: chunk, write) }
            }
        )
    }
}

extension RateLimit: MessageInterceptor {
    /// Limits the rate at which the body of the request is sent.
    public func willSend(_ request: inout HttpRequest) throws {
        if case .none = request.body { return }
        request.body = try limited(request.body)
    }

    /// Limits the rate at which the body of the response is read, if it is streamed.
    public func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws {
        if response.body == nil { response.bodyStream = limited(response.bodyStream) }
    }
}

private final class LimitedResponseBody: ResponseBodySource {
    private let body: ResponseBody
    private let limit: RateLimit
    /// The part of the last chunk that has not been returned.
    private let rest = Locked(Data())

    init(_ body: ResponseBody, by limit: RateLimit) {
        self.body = body
        self.limit = limit
    }

    var trailers: HTTPFields { body.trailers }

    func read() async throws(NetworkError) -> Data? {
        var chunk = rest.withLock { $0 }
        if chunk.isEmpty {
            guard let next = try await body.source.read() else { return nil }
            chunk = next
            rest.withLock { $0 = next }
        }
        do {
            let piece = try await limit.firstPiece(of: chunk)
            rest.withLock { $0 = $0.dropFirst(piece.count) }
            return piece
        } catch {
            throw NetworkError(wrapping: error, reason: "the rate limit could not be applied")
        }
    }

    func cancel() {
        rest.withLock { $0 = Data() }
        body.cancel()
    }
}
