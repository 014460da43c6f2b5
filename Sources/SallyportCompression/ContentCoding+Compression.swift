import SallyportTransport

#if Compression && os(Linux)

extension ContentCoding {
    /// Brotli (`br`, RFC 7932), decoded with Google's library.
    public static let brotli = ContentCoding(name: "br") { BrotliDecoder() }

    /// Zstandard (`zstd`, RFC 8878), decoded with Meta's library. Its window may have at most 8 MiB (RFC 9659).
    public static let zstandard = ContentCoding(name: "zstd") { ZstandardDecoder() }
}

#else

extension ContentCoding {
    /// Brotli (`br`, RFC 7932). Requires Linux and the package trait `Compression`.
    @available(*, unavailable, message: "enable Sallyport's package trait Compression, on Linux")
    public static var brotli: ContentCoding { fatalError("the package trait Compression is off") }

    /// Zstandard (`zstd`, RFC 8878). Requires Linux and the package trait `Compression`.
    @available(*, unavailable, message: "enable Sallyport's package trait Compression, on Linux")
    public static var zstandard: ContentCoding { fatalError("the package trait Compression is off") }
}

#endif
