/// The reason why a body could not be decoded (RFC 9110, section 8.4).
///
/// The call fails with ``NetworkError/undecodableBody(_:)``, which names the coding. The failure's ``NetworkFailure/underlying`` error is
/// this error.
public enum ContentDecodingError: Error, Equatable {
    /// The client does not support the coding.
    case unsupportedCoding
    /// The bytes are not valid in the coding.
    case malformed(reason: String)
    /// The decoded bytes do not match the checksum.
    case checksumMismatch
    /// The body ended too early.
    case truncated
    /// More than `limit` bytes would have been decoded.
    case sizeLimitExceeded(limit: Int)
    /// The body has more than `limit` codings.
    case tooManyCodings(limit: Int)
    /// The decoder failed for a reason other than the body.
    case decoderFailed(reason: String)
}

extension ContentDecodingError: CustomStringConvertible {
    /// The reason, as a clause that follows a colon.
    public var description: String {
        switch self {
        case .unsupportedCoding: "this coding is not supported"
        case .malformed(let reason): "it is malformed: \(reason)"
        case .checksumMismatch: "the decoded data does not match the checksum"
        case .truncated: "it ends too early"
        case .sizeLimitExceeded(let limit): "it decodes to more than the limit of \(Quantity.size(Int64(limit)))"
        case .tooManyCodings(let limit): "it is encoded more often than the limit of \(limit) times"
        case .decoderFailed(let reason): "the decoder failed: \(reason)"
        }
    }
}

extension NetworkError {
    /// Creates the error for a body in a coding that the transport does not decode.
    package init(unsupportedCoding name: String) {
        let reason = ContentDecodingError.unsupportedCoding
        self = .undecodableBody(
            NetworkFailure(
                "the body cannot be decoded from \(name): \(reason)",
                phase: .body,
                advice: SettingAdvice.otherCoding.rawValue,
                underlying: reason
            )
        )
    }
}
