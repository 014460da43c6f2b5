import SallyportTransport

/// What stands around a deflate stream: a header before it, and after it a check of what was decoded.
///
/// A read returns false if the input ends too early, to be called again with more.
protocol StreamWrapper: Sendable {
    /// The byte that begins a further stream behind this one; `nil` if there can be none.
    var firstByteOfNext: UInt8? { get }

    mutating func readHeader(from reader: inout BitReader) throws(ContentDecodingError) -> Bool
    mutating func update(with decoded: UnsafeRawBufferPointer)
    mutating func readTrailer(from reader: inout BitReader) throws(ContentDecodingError) -> Bool
}
