/// The checksum of zlib (RFC 1950 section 8.2).
struct Adler32: Sendable {
    private static let modulus: UInt32 = 65_521
    /// As many bytes as can be summed before the sums must be reduced to stay within 32 bits.
    private static let stretch = 5_552

    private var low: UInt32 = 1
    private var high: UInt32 = 0

    var value: UInt32 {
        high << 16 | low
    }

    mutating func update(with bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            for byte in rest.prefix(Self.stretch) {
                low &+= UInt32(byte)
                high &+= low
            }
            low %= Self.modulus
            high %= Self.modulus
            rest = rest.dropFirst(Self.stretch)
        }
    }
}
