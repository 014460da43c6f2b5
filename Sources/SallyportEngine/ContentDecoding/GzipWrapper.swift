import SallyportTransport

/// The header of a gzip member (RFC 1952, section 2.3), which is validated byte by byte and otherwise ignored.
struct GzipHeader: Sendable {
    static let firstByte: UInt8 = 0x1F

    /// The fields in their order.
    private enum Field: Int {
        case fixed, extraLength, extra, name, comment, checksum, end
    }

    /// The maximum size: the largest extra field, and the same size for the name and the comment.
    private static let maximumSize = 128 * 1024

    private var field = Field.fixed
    /// The number of bytes read of the current field.
    private var fieldSize = 0
    /// The value of the current field. The field's bytes are in little-endian order.
    private var number = 0

    private var size = 0
    private var flags: UInt8 = 0
    private var extraSize = 0
    private var checksum = CRC32()

    var isComplete: Bool {
        field == .end
    }

    mutating func append(_ byte: UInt8) throws(ContentDecodingError) {
        size += 1
        fieldSize += 1
        guard size <= Self.maximumSize else {
            throw .malformed(reason: "the gzip header is longer than \(Self.maximumSize) bytes")
        }
        if field != .checksum {
            withUnsafeBytes(of: byte) { checksum.update(with: $0) }
        }
        switch field {
        case .fixed:
            try checkFixed(byte)
            endField(if: fieldSize == 10)
        case .extraLength:
            appendToNumber(byte)
            extraSize = number
            endField(if: fieldSize == 2)
        case .extra:
            endField(if: fieldSize == extraSize)
        case .name, .comment:
            endField(if: byte == 0)
        case .checksum:
            appendToNumber(byte)
            if fieldSize == 2, number != checksum.value & 0xFFFF {
                throw .checksumMismatch
            }
            endField(if: fieldSize == 2)
        case .end:
            break
        }
    }

    /// Checks the first ten bytes: the magic number, method and flags. Time, compression level and system are ignored.
    private mutating func checkFixed(_ byte: UInt8) throws(ContentDecodingError) {
        switch (fieldSize, byte) {
        case (1, Self.firstByte), (2, 0x8B), (3, 8), (5..., _):
            break
        case (4, _):
            flags = byte
            guard flags & 0b1110_0000 == 0 else {
                throw .malformed(reason: "the gzip header has reserved flags")
            }
        case (3, _):
            throw .malformed(reason: "the gzip compression method is \(byte), not 8")
        default:
            throw .malformed(reason: "it does not begin with the gzip signature")
        }
    }

    private mutating func appendToNumber(_ byte: UInt8) {
        number |= Int(byte) << (8 * (fieldSize - 1))
    }

    private mutating func endField(if isComplete: Bool) {
        guard isComplete else { return }
        repeat {
            field = Field(rawValue: field.rawValue + 1) ?? .end
        } while !isPresent(field)
        fieldSize = 0
        number = 0
    }

    private func isPresent(_ field: Field) -> Bool {
        switch field {
        case .fixed, .end: true
        case .extraLength: flags & 4 != 0
        case .extra: extraSize > 0
        case .name: flags & 8 != 0
        case .comment: flags & 16 != 0
        case .checksum: flags & 2 != 0
        }
    }
}

/// The wrapper of a gzip member (RFC 1952, section 2.3). A file may consist of several members.
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
