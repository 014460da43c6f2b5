/// Why an encoded body could not be decoded (RFC 9110 section 8.4).
package enum ContentDecodingError: Error, Equatable {
    /// The bytes break the rules of the format.
    case malformed(reason: String)
    /// The decoded bytes are not the ones that the sender encoded.
    case checksumMismatch
    /// The body ended before the encoded stream did.
    case truncated
    /// More than `limit` bytes would have been decoded.
    case sizeLimitExceeded(limit: Int)
    /// The decoded body is more than `limit` times as large as the encoded one.
    case ratioLimitExceeded(limit: Int)
}

extension ContentDecodingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let reason):
            "The compressed body is malformed: \(reason)."
        case .checksumMismatch:
            "The decompressed body does not match its checksum."
        case .truncated:
            "The compressed body ended too early."
        case .sizeLimitExceeded(let limit):
            "The decompressed body is larger than the limit of \(limit) bytes."
        case .ratioLimitExceeded(let limit):
            "The decompressed body is more than \(limit) times as large as the compressed one."
        }
    }
}
