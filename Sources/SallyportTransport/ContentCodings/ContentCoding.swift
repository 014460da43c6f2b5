/// A content coding that a transport can take off a response's body, beside gzip and deflate (RFC 9110, section 8.4.1).
///
/// `SallyportCompression` has brotli and zstd. An app can bring one of its own:
///
/// ```swift
/// config.transportConfiguration.contentCodings = [ContentCoding(name: "x-mirror") { MirrorDecoder() }]
/// ```
public struct ContentCoding: Sendable {
    /// The name that stands in `Accept-Encoding` and `Content-Encoding`; its case does not matter.
    public let name: String

    /// Makes the decoder of one body.
    public let makeDecoder: @Sendable () -> any BodyDecoder

    /// Makes a coding of its name and its decoder.
    public init(name: String, makeDecoder: @escaping @Sendable () -> any BodyDecoder) {
        self.name = name
        self.makeDecoder = makeDecoder
    }
}
