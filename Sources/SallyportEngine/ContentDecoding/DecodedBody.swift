import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// A body whose content codings are decoded as it is read.
struct DecodedBody: ResponseBodySource {
    private let body: any ResponseBodySource
    private let chain: Locked<DecodingChain>

    init(_ body: any ResponseBodySource, codings: [ContentCoding], limits: ResponseLimits) {
        self.body = body
        chain = Locked(DecodingChain(codings, maximumSize: limits.decodedBytes))
    }

    func read() async throws(NetworkError) -> Data? {
        while true {
            // A small piece of the encoded body can be decoded for a long time without a wait that notices the cancellation.
            if Task.isCancelled { throw cancelled() }
            let decoded = try withChain { chain throws(ContentDecodingFailure) in try chain.next() }
            if !decoded.isEmpty { return Data(decoded) }
            guard let chunk = try await body.read() else {
                try withChain { chain throws(ContentDecodingFailure) in try chain.finish() }
                return nil
            }
            chain.withLock { $0.append(Array(chunk)) }
        }
    }

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
                advice: failure.error.isLimit
                    ? "if the server is trusted, raise decodedBytes of the limits on responses" : nil,
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
