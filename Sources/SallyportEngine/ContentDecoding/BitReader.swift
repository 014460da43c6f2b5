/// Reads bits, least significant first, from one piece of input (RFC 1951, section 3.1.1).
///
/// A read takes either all requested bits or none. After a read that found too few, the rest of the input is in
/// `carry`, with which the reader of the next piece continues.
struct BitReader {
    /// The unread bits of a piece of input.
    struct Carry: Sendable {
        fileprivate var bits: UInt64 = 0
        fileprivate var count = 0
    }

    /// The next bits of the stream. The bits above `count` are undefined.
    private(set) var bits: UInt64
    /// The number of valid bits in `bits`.
    private(set) var count: Int
    /// The number of input bytes that have been read.
    private(set) var position = 0
    private let input: UnsafeRawBufferPointer

    init(_ input: UnsafeRawBufferPointer, after carry: Carry) {
        self.input = input
        bits = carry.bits
        count = carry.count
    }

    var carry: Carry {
        Carry(bits: bits, count: count)
    }

    /// Reads input until at least 56 bits are available, or the input ends.
    @inline(__always)
    mutating func refill() {
        if input.count - position >= 8 {
            let word = input.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            bits |= UInt64(littleEndian: word) << UInt64(count)
            position += (63 - count) >> 3
            count |= 56
        } else {
            refillByByte()
        }
    }

    private mutating func refillByByte() {
        while count < 56, position < input.count {
            bits |= UInt64(input[position]) << UInt64(count)
            position += 1
            count += 8
        }
    }

    /// Removes bits that were peeked at, at most `count`.
    @inline(__always)
    mutating func drop(_ number: Int) {
        bits >>= UInt64(number)
        count -= number
    }

    /// Returns the next bits, at most 32, without removing them.
    mutating func peek(_ number: Int) -> UInt32? {
        if count < number {
            refill()
        }
        guard count >= number else { return nil }
        return UInt32(truncatingIfNeeded: bits & ((1 << UInt64(number)) - 1))
    }

    /// Returns and removes the next bits, at most 32.
    mutating func read(_ number: Int) -> UInt32? {
        let value = peek(number)
        if value != nil {
            drop(number)
        }
        return value
    }

    /// Returns the complete unread bytes to the input, as far as they come from this piece.
    mutating func returnBytes() {
        let returned = min(count >> 3, position)
        position -= returned
        count -= returned << 3
    }

    /// Skips the bits up to the next byte boundary.
    mutating func alignToByte() {
        drop(count & 7)
    }

    /// Copies bytes of an aligned stream to `target`, and returns their number.
    mutating func readBytes(into target: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < target.count, count >= 8 {
            target[filled] = UInt8(truncatingIfNeeded: bits)
            drop(8)
            filled += 1
        }
        guard filled < target.count else { return filled }
        bits = 0
        let direct = min(target.count - filled, input.count - position)
        let source = UnsafeRawBufferPointer(rebasing: input[position..<position + direct])
        UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(from: source)
        position += direct
        return filled + direct
    }
}
