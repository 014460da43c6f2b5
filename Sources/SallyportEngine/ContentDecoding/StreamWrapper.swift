import SallyportTransport

/// The wrapper of a deflate stream: a header, and a trailer with a checksum of the decoded bytes.
///
/// The reading functions return `false` if the input is incomplete, and are then called again with more.
protocol StreamWrapper: Sendable {
    /// The first byte of a stream that may follow this one, or `nil` if none may follow.
    var firstByteOfNext: UInt8? { get }

    mutating func readHeader(from reader: inout BitReader) throws(ContentDecodingError) -> Bool
    mutating func update(with decoded: UnsafeRawBufferPointer)
    mutating func readTrailer(from reader: inout BitReader) throws(ContentDecodingError) -> Bool
}

/// The body of `Content-Encoding: deflate`: a zlib stream (RFC 1950, section 2.2; RFC 9110, section 8.4.1.2), or the
/// bare deflate stream that some servers send instead.
struct DeflateWrapper: StreamWrapper {
    let firstByteOfNext: UInt8? = nil

    private var isZlib = false
    private var checksum = Adler32()

    /// Reads a zlib header, if there is one.
    ///
    /// A bare stream resembles one only if it begins with a stored block whose padding bits are not zero.
    mutating func readHeader(from reader: inout BitReader) throws(ContentDecodingError) -> Bool {
        guard let header = reader.peek(16) else { return false }
        let (method, flags) = (header & 0xFF, header >> 8)
        isZlib = method & 0x0F == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0
        guard isZlib else { return true }
        guard flags & 0b10_0000 == 0 else {
            throw .malformed(reason: "the zlib header requires a preset dictionary")
        }
        reader.drop(16)
        return true
    }

    mutating func update(with decoded: UnsafeRawBufferPointer) {
        if isZlib {
            checksum.update(with: decoded)
        }
    }

    mutating func readTrailer(from reader: inout BitReader) throws(ContentDecodingError) -> Bool {
        reader.alignToByte()
        guard isZlib else { return true }
        guard let expected = reader.read(32) else { return false }
        guard expected.byteSwapped == checksum.value else { throw .checksumMismatch }
        return true
    }
}
