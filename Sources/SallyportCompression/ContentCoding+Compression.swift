import SallyportTransport

#if Compression && os(Linux)

extension ContentCoding {
    /// Brotli (RFC 7932), `br`, by Google's library.
    public static let brotli = ContentCoding(name: "br") { BrotliDecoder() }

    /// Zstandard (RFC 8878), `zstd`, by Meta's library, with windows of 8 MiB at most (RFC 9659).
    public static let zstandard = ContentCoding(name: "zstd") { ZstandardDecoder() }
}

#else

extension ContentCoding {
    /// Brotli (RFC 7932), which needs Linux and the package trait `Compression`.
    @available(*, unavailable, message: "enable Sallyport's package trait Compression, on Linux")
    public static var brotli: ContentCoding { fatalError("the package trait Compression is off") }

    /// Zstandard (RFC 8878), which needs Linux and the package trait `Compression`.
    @available(*, unavailable, message: "enable Sallyport's package trait Compression, on Linux")
    public static var zstandard: ContentCoding { fatalError("the package trait Compression is off") }
}

#endif
