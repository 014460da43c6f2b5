import SallyportTransport

/// A member of a gzip file (RFC 1952 section 2.3); a file may hold several, one after the other.
struct GzipWrapper: StreamWrapper {
    let firstByteOfNext: UInt8? = GzipHeader.firstByte

    private var header = GzipHeader()
    private var checksum = CRC32()
    private var size: UInt32 = 0
    private var isChecksumRead = false

    mutating func readHeader(from reader: inout BitReader) throws(ContentDecodingError) -> Bool {
        while !header.isComplete {
            guard let byte = reader.read(8) else { return false }
            try header.append(UInt8(byte))
        }
        return true
    }

    mutating func update(with decoded: UnsafeRawBufferPointer) {
        checksum.update(with: decoded)
        size &+= UInt32(truncatingIfNeeded: decoded.count)
    }

    mutating func readTrailer(from reader: inout BitReader) throws(ContentDecodingError) -> Bool {
        reader.alignToByte()
        if !isChecksumRead {
            guard let expected = reader.read(32) else { return false }
            guard expected == checksum.value else { throw .checksumMismatch }
            isChecksumRead = true
        }
        guard let expectedSize = reader.read(32) else { return false }
        guard expectedSize == size else { throw .checksumMismatch }
        self = GzipWrapper()
        return true
    }
}
