/// The CRC-32 checksum of gzip (RFC 1952, section 8), computed eight bytes at a time.
struct CRC32: Sendable {
    private(set) var value: UInt32 = 0

    /// Eight tables of 256 entries: entry `256 * n + byte` is the remainder of `byte` followed by `n` zero bytes.
    private static let tables: [UInt32] = {
        var tables = (UInt32(0)..<256).map { byte in
            var remainder = byte
            for _ in 0..<8 {
                remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0xEDB8_8320)
            }
            return remainder
        }
        for index in 256..<8 * 256 {
            let shorter = tables[index - 256]
            tables.append(shorter >> 8 ^ tables[Int(shorter & 0xFF)])
        }
        return tables
    }()

    mutating func update(with bytes: UnsafeRawBufferPointer) {
        value = Self.tables.withUnsafeBufferPointer { tables in
            ~Self.remainder(of: bytes, after: ~value, tables: tables)
        }
    }

    private static func remainder(
        of bytes: UnsafeRawBufferPointer,
        after start: UInt32,
        tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        var remainder = start
        var index = 0
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let mixed = word ^ UInt64(remainder)
            remainder = 0
            for position in 0..<8 {
                let byte = Int(truncatingIfNeeded: mixed >> UInt64(8 * position) & 0xFF)
                remainder ^= tables[256 * (7 - position) + byte]
            }
            index += 8
        }
        for byte in bytes[index...] {
            remainder = remainder >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)]
        }
        return remainder
    }
}

/// The Adler-32 checksum of zlib (RFC 1950, section 8.2).
struct Adler32: Sendable {
    private static let modulus: UInt32 = 65_521
    /// The number of bytes that can be added before the sums must be reduced to stay within 32 bits.
    private static let blockSize = 5_552

    private var low: UInt32 = 1
    private var high: UInt32 = 0

    var value: UInt32 {
        high << 16 | low
    }

    mutating func update(with bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            for byte in rest.prefix(Self.blockSize) {
                low &+= UInt32(byte)
                high &+= low
            }
            low %= Self.modulus
            high %= Self.modulus
            rest = rest.dropFirst(Self.blockSize)
        }
    }
}
