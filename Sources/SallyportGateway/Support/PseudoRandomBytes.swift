import NIOCore

/// An infinite sequence of pseudorandom bytes with random access. The same seed produces the same bytes.
///
/// Each group of eight bytes is the SplitMix64 of the seed and its position, in little-endian order.
struct PseudoRandomBytes: Sendable {
    let seed: UInt64

    /// Returns the bytes in a range.
    func buffer(_ range: Range<Int>) -> ByteBuffer {
        guard !range.isEmpty else { return ByteBuffer() }
        let words = (range.lowerBound / 8)...((range.upperBound - 1) / 8)
        var buffer = ByteBuffer()
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: words.count * 8) { memory in
            var offset = 0
            for index in words {
                memory.storeBytes(of: word(index).littleEndian, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            return offset
        }
        buffer.moveReaderIndex(forwardBy: range.lowerBound % 8)
        return buffer.readSlice(length: range.count) ?? ByteBuffer()
    }

    private func word(_ index: Int) -> UInt64 {
        var mixed = seed &+ (UInt64(index) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
