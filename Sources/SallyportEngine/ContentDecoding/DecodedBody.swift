import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// A body whose content codings are decoded as it is read.
struct DecodedBody: ResponseBodySource {
    private let body: any ResponseBodySource
    private let chain: Locked<DecodingChain>

    init(_ body: any ResponseBodySource, codings: [ContentCoding], limits: ResponseLimits) {
        let limits = DecodingLimits(maximumSize: limits.decodedBytes, maximumRatio: limits.decodingRatio)
        self.body = body
        chain = Locked(DecodingChain(codings, limits: limits))
    }

    func read() async throws(NetworkError) -> Data? {
        while true {
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
        case .sizeLimitExceeded, .ratioLimitExceeded: true
        case .unsupportedCoding, .malformed, .checksumMismatch, .truncated, .tooManyCodings, .decoderFailed: false
        }
    }
}
