import Foundation
import HTTPTypes
import NIOCore
import SallyportTransport

/// A body whose content codings are taken off as it is read.
struct DecodedBody: ResponseBodySource {
    private struct State {
        var decoders: [ContentDecoder]
        var encoded: Data = Data()
        var isFinished = false
    }

    /// Encoded bytes are decoded in pieces of this size, so that what one of them can become stays small.
    private static let pieceSize = 16 << 10

    private let body: any ResponseBodySource
    private let state: Locked<State>

    /// - Returns: `nil` where a coding is not known; the body is then left as it came.
    init?(_ body: any ResponseBodySource, codings: [Substring], limits: ResponseLimits) {
        let limits = DecodingLimits(maximumSize: limits.decodedBytes, maximumRatio: limits.decodingRatio)
        // The last coding was applied last, and comes off first (RFC 9110, section 8.4).
        let decoders = codings.reversed().compactMap { ContentDecoder(encoding: String($0), limits: limits) }
        guard decoders.count == codings.count else { return nil }
        self.body = body
        state = Locked(State(decoders: decoders))
    }

    func read() async throws(NetworkError) -> Data? {
        while true {
            if let decoded = try decodePiece() {
                if decoded.isEmpty { continue }
                return decoded
            }
            guard let chunk = try await body.read() else { return try finish() }
            state.withLock { $0.encoded = chunk }
        }
    }

    var trailers: HTTPFields { body.trailers }

    func cancel() {
        body.cancel()
    }

    /// Decodes the next piece of what has been read; `nil` when nothing is left of it.
    private func decodePiece() throws(NetworkError) -> Data? {
        try undecodable { () throws(ContentDecodingError) in
            try state.withLock { state throws(ContentDecodingError) in
                guard !state.encoded.isEmpty else { return nil }
                var bytes = Array(state.encoded.prefix(Self.pieceSize))
                state.encoded = state.encoded.dropFirst(Self.pieceSize)
                for index in state.decoders.indices { bytes = try state.decoders[index].decode(bytes) }
                return Data(bytes)
            }
        }
    }

    private func finish() throws(NetworkError) -> Data? {
        try undecodable { () throws(ContentDecodingError) in
            try state.withLock { state throws(ContentDecodingError) in
                for index in state.decoders.indices { try state.decoders[index].finish() }
                return nil
            }
        }
    }

    private func undecodable(_ decode: () throws(ContentDecodingError) -> Data?) throws(NetworkError) -> Data? {
        do {
            return try decode()
        } catch {
            body.cancel()
            throw .undecodableBody(
                NetworkFailure(
                    "the compressed body cannot be decoded: \(error)",
                    phase: .body,
                    advice: error.isLimit ? "if the server is trusted, raise the limits on responses" : nil,
                    underlying: error
                )
            )
        }
    }
}

extension ContentDecodingError {
    fileprivate var isLimit: Bool {
        switch self {
        case .sizeLimitExceeded, .ratioLimitExceeded: true
        case .malformed, .checksumMismatch, .truncated: false
        }
    }
}

extension ContentDecoder {
    fileprivate mutating func decode(_ input: [UInt8]) throws(ContentDecodingError) -> [UInt8] {
        var output: [UInt8] = []
        try input.withUnsafeBytes { input in
            Result { () throws(ContentDecodingError) in try decode(input, into: &output) }
        }.get()
        return output
    }
}
