/// A content coding that a transport can decode in addition to gzip and deflate (RFC 9110, section 8.4.1).
///
/// `SallyportCompression` has brotli and zstd. An app can provide others:
///
/// ```swift
/// config.transportConfiguration.contentCodings = [ContentCoding(name: "x-mirror") { MirrorDecoder() }]
/// ```
public struct ContentCoding: Sendable {
    /// The name in `Accept-Encoding` and `Content-Encoding`, which is not case-sensitive.
    public let name: String

    /// A closure that creates the decoder for one body.
    public let makeDecoder: @Sendable () -> any BodyDecoder

    /// Creates a coding.
    public init(name: String, makeDecoder: @escaping @Sendable () -> any BodyDecoder) {
        self.name = name
        self.makeDecoder = makeDecoder
    }
}

extension ContentCoding {
    /// The names in the HTTP Content Coding Registry of IANA.
    private static let registeredNames: Set = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "identity", "pack200-gzip", "x-compress",
        "x-gzip",
        "zstd",
    ]

    /// Returns a Boolean value that indicates whether a name, in lower case, is a registered one.
    ///
    /// Servers also send names that are none, such as `none`, `UTF-8` and `aws-chunked`, with bodies that are not encoded.
    package static func isRegistered(_ name: String) -> Bool { registeredNames.contains(name) }
}

/// A decoder of a content coding for one body.
///
/// A decoder need not enforce size limits, as the transport counts the bytes that it returns.
public protocol BodyDecoder: Sendable {
    /// Decodes the next bytes.
    ///
    /// It removes the bytes that it consumes from the front of `input`. It is called again with the rest until it returns no bytes, which
    /// means that it needs more input. It must buffer only a limited number of bytes.
    ///
    /// - Parameters:
    ///   - input: Bytes of the body, divided arbitrarily. It may be empty, to request output that exceeded the last limit.
    ///   - limit: The maximum number of bytes to return, which is at least one.
    /// - Returns: Decoded bytes; empty only if more input is needed.
    /// - Throws: ``ContentDecodingError``. The decoder is not called again after an error.
    mutating func decode(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int
    ) throws(ContentDecodingError) -> [UInt8]

    /// Checks at the end of the body that it is complete.
    ///
    /// It is not called for an empty body, which is valid in every coding.
    ///
    /// - Throws: ``ContentDecodingError/truncated`` if the body is incomplete.
    mutating func finish() throws(ContentDecodingError)
}
