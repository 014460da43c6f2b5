import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// A body that decodes its content codings as it is read.
struct DecodedBody: ResponseBodySource {
    private let body: any ResponseBodySource
    private let chain: Locked<DecodingChain>
    private let idleLimit: Duration?

    /// Creates a body.
    ///
    /// - Parameter idleLimit: The maximum time without decoded content while the encoded body arrives.
    init(
        _ body: any ResponseBodySource,
        codings: [ContentCoding],
        limits: ResponseLimits,
        idleLimit: Duration? = nil
    ) {
        self.idleLimit = idleLimit
        self.body = body
        chain = Locked(DecodingChain(codings, maximumSize: limits.decodedBytes))
    }

    func read() async throws(NetworkError) -> Data? {
        var progress = DecodingProgress(limit: idleLimit)
        while true {
            // A small piece of the encoded body can be decoded for a long time without a wait that notices the cancellation.
            if Task.isCancelled { throw cancelled() }
            let decoded = try withChain { chain throws(ContentDecodingFailure) in try chain.next() }
            if !decoded.isEmpty { return Data(decoded) }
            if let error = progress.continueWithoutContent() {
                body.cancel()
                throw error
            }
            guard let chunk = try await body.read() else {
                try withChain { chain throws(ContentDecodingFailure) in try chain.finish() }
                return nil
            }
            chain.withLock { $0.append(Array(chunk)) }
        }
    }

    var isReceived: Bool { body.isReceived }

    var trailers: HTTPFields { body.trailers }

    func cancel() {
        body.cancel()
    }

    private func cancelled() -> NetworkError {
        body.cancel()
        return .cancelled(NetworkFailure("the task was cancelled", phase: .body))
    }

    /// Decodes with the chain, and cancels the body if that fails.
    private func withChain<Result: Sendable>(
        _ decode: (inout DecodingChain) throws(ContentDecodingFailure) -> Result
    ) throws(NetworkError) -> Result {
        do throws(ContentDecodingFailure) {
            return try chain.withLock(decode)
        } catch {
            body.cancel()
            throw NetworkError(error)
        }
    }
}

/// Limits the time without decoded content while encoded bytes arrive. The name of a file in gzip and empty blocks, for example, decode to
/// nothing.
private struct DecodingProgress {
    let limit: Duration?
    private var reads = 0
    private var start: ContinuousClock.Instant?

    init(limit: Duration?) {
        self.limit = limit
    }

    /// Counts a read. Returns the error if the limit has passed since the first read.
    mutating func continueWithoutContent() -> NetworkError? {
        reads += 1
        // Most reads give content, and need no time.
        guard reads > 1, let limit else { return nil }
        let now = ContinuousClock.now
        guard let start else {
            start = now
            return nil
        }
        guard now - start >= limit else { return nil }
        return .timeout(
            NetworkFailure(
                "the encoded body gave no content for \(Quantity.time(now - start))",
                phase: .body,
                advice: "the server may be overloaded; try again later"
            )
        )
    }
}

extension NetworkError {
    fileprivate init(_ failure: ContentDecodingFailure) {
        if failure.error == .unsupportedCoding {
            self.init(unsupportedCoding: failure.coding)
            return
        }
        let progress = "\(failure.encodedSize) bytes of it were read and gave \(failure.decodedSize)"
        self = .undecodableBody(
            NetworkFailure(
                "the body cannot be decoded from \(failure.coding): \(failure.error); \(progress)",
                phase: .body,
                advice: failure.error.isLimit ? SettingAdvice.raiseDecodingLimits.rawValue : nil,
                underlying: failure.error
            )
        )
    }

    /// Creates the error for a body with too many codings. Nothing of it has been read.
    init(tooManyCodings error: ContentDecodingError, contentEncoding: String) {
        self = .undecodableBody(
            NetworkFailure(
                "the body cannot be decoded from \(contentEncoding.prefix(100)): \(error)",
                phase: .body,
                underlying: error
            )
        )
    }
}

extension ContentDecodingError {
    fileprivate var isLimit: Bool {
        switch self {
        case .sizeLimitExceeded: true
        case .unsupportedCoding, .malformed, .checksumMismatch, .truncated, .tooManyCodings, .decoderFailed: false
        }
    }
}
