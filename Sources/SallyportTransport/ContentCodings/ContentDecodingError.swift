/// Why a body could not be decoded (RFC 9110, section 8.4).
///
/// A call that fails for it fails with ``NetworkError/undecodableBody(_:)``, which names the coding, and has this
/// beneath it.
public enum ContentDecodingError: Error, Equatable {
    /// The bytes break the rules of the coding.
    case malformed(reason: String)
    /// The decoded bytes are not the ones that the sender encoded.
    case checksumMismatch
    /// The body ended before its coding did.
    case truncated
    /// More than `limit` bytes would have been decoded.
    case sizeLimitExceeded(limit: Int)
    /// The decoded body is more than `limit` times as large as what came over the wire.
    case ratioLimitExceeded(limit: Int)
    /// The body is encoded more than `limit` times over.
    case tooManyCodings(limit: Int)
    /// The decoder could not do its work, whatever the body is.
    case decoderFailed(reason: String)
}

extension ContentDecodingError: CustomStringConvertible {
    /// The reason, as the end of a sentence about the body.
    public var description: String {
        switch self {
        case .malformed(let reason): "it is malformed: \(reason)"
        case .checksumMismatch: "what it decodes to does not match its checksum"
        case .truncated: "it ends too early"
        case .sizeLimitExceeded(let limit): "it decodes to more than the limit of \(limit) bytes"
        case .ratioLimitExceeded(let limit): "it decodes to more than the limit of \(limit) times its size"
        case .tooManyCodings(let limit): "it is encoded more often than the limit of \(limit) times"
        case .decoderFailed(let reason): "the decoder failed: \(reason)"
        }
    }
}
