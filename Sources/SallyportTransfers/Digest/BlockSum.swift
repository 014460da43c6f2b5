import Sallyport

/// A fast checksum: XXH64 with the seed 0.
///
/// It detects accidental changes, and is much faster than SHA-256. It does not protect against attackers who can write
/// into the folder of a partial file.
struct BlockSum: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private var lanes: (UInt64, UInt64, UInt64, UInt64)
    private var count: UInt64 = 0
    /// The bytes after the last complete stripe of 32 bytes.
    private var rest: [UInt8] = []

    init() {
        lanes = (Self.prime1 &+ Self.prime2, Self.prime2, 0, 0 &- Self.prime1)
    }

    /// Returns the checksum of bytes.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var sum = BlockSum()
        Array(bytes).withUnsafeBytes { sum.update($0) }
        return sum.value
    }

    /// Adds bytes to the checksum.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let taken = min(32 - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<taken])
            bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
            guard rest.count == 32 else { return }
            rest.withUnsafeBytes { Self.mix(&lanes, $0) }
            rest.removeAll(keepingCapacity: true)
        }
        let end = bytes.count & ~31
        Self.mix(&lanes, UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        rest.append(contentsOf: bytes[end...])
    }

    /// The checksum of all bytes added so far.
    var value: UInt64 {
        var sum: UInt64
        if count >= 32 {
            sum = rotated(lanes.0, 1) &+ rotated(lanes.1, 7) &+ rotated(lanes.2, 12) &+ rotated(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                sum = (sum ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        } else {
            sum = Self.prime5
        }
        sum = finished(sum &+ count)
        sum = (sum ^ (sum >> 33)) &* Self.prime2
        sum = (sum ^ (sum >> 29)) &* Self.prime3
        return sum ^ (sum >> 32)
    }

    /// Mixes in the bytes after the last complete stripe.
    private func finished(_ start: UInt64) -> UInt64 {
        var sum = start
        rest.withUnsafeBytes { rest in
            var offset = 0
            while offset + 8 <= rest.count {
                sum ^= Self.round(0, Self.word(rest, offset))
                sum = rotated(sum, 27) &* Self.prime1 &+ Self.prime4
                offset += 8
            }
            if offset + 4 <= rest.count {
                let half = UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                sum ^= UInt64(half) &* Self.prime1
                sum = rotated(sum, 23) &* Self.prime2 &+ Self.prime3
                offset += 4
            }
            for byte in rest[offset...] {
                sum ^= UInt64(byte) &* Self.prime5
                sum = rotated(sum, 11) &* Self.prime1
            }
        }
        return sum
    }

    /// - Parameter bytes: A multiple of 32 bytes.
    private static func mix(_ lanes: inout (UInt64, UInt64, UInt64, UInt64), _ bytes: UnsafeRawBufferPointer) {
        var (first, second, third, fourth) = lanes
        var offset = 0
        while offset < bytes.count {
            first = round(first, word(bytes, offset))
            second = round(second, word(bytes, offset + 8))
            third = round(third, word(bytes, offset + 16))
            fourth = round(fourth, word(bytes, offset + 24))
            offset += 32
        }
        lanes = (first, second, third, fourth)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }
}

@inline(__always)
private func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    (value &<< bits) | (value &>> (64 &- bits))
}
