import SallyportTransport

/// The header of a gzip member (RFC 1952 section 2.3), checked byte by byte; what it says is not kept.
struct GzipHeader: Sendable {
    static let firstByte: UInt8 = 0x1F

    /// The fields in their order.
    private enum Field: Int {
        case fixed, extraLength, extra, name, comment, checksum, end
    }

    /// Enough for the greatest extra field, and as much again for the name and the comment.
    private static let maximumSize = 128 * 1024

    private var field = Field.fixed
    /// How many bytes of the field are read, and the number that they are, lowest byte first.
    private var fieldSize = 0
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

    /// The first ten bytes: magic number, method and flags matter; time, compression level and system do not.
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
            throw .malformed(reason: "it does not begin as gzip does")
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
