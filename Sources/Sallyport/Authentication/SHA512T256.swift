import Foundation

/// The hash function SHA-512/256 (FIPS 180-4), which neither CryptoKit nor swift-crypto implements.
///
/// It is SHA-512 with other initial values, and uses only the first 256 bits of the result.
struct SHA512T256 {
    private static let blockSize = 128

    private var state: [UInt64] = [
        0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
        0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
    ]
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var size: UInt64 = 0

    mutating func update(data: Data) {
        size += UInt64(data.count)
        rest += data
        var start = 0
        while rest.count - start >= Self.blockSize {
            add(block: rest[start..<start + Self.blockSize])
            start += Self.blockSize
        }
        rest.removeFirst(start)
    }

    /// Returns the 32 bytes of the hash.
    mutating func finalize() -> [UInt8] {
        let length = size * 8
        let zeros = (2 * Self.blockSize - 17 - rest.count) % Self.blockSize
        // The length has 128 bits. The upper half is zero.
        let end = [0x80] + [UInt8](repeating: 0, count: zeros + 8) + Self.bytes(of: length)
        update(data: Data(end))
        return state.prefix(4).flatMap(Self.bytes)
    }

    private mutating func add(block: ArraySlice<UInt8>) {
        var words = [UInt64](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        for index in 16..<80 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first: UInt64 = early.rotated(1) ^ early.rotated(8) ^ (early >> 7)
            let second: UInt64 = late.rotated(19) ^ late.rotated(61) ^ (late >> 6)
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<80 {
            let choice: UInt64 = (e & f) ^ (~e & g)
            let majority: UInt64 = (a & b) ^ (a & c) ^ (b & c)
            let lower: UInt64 = e.rotated(14) ^ e.rotated(18) ^ e.rotated(41)
            let upper: UInt64 = a.rotated(28) ^ a.rotated(34) ^ a.rotated(39)
            let added = h &+ lower &+ choice &+ Self.constants[index] &+ words[index]
            (h, g, f, e) = (g, f, e, d &+ added)
            (d, c, b, a) = (c, b, a, added &+ upper &+ majority)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func bytes(of word: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }

    /// The first 64 bits of the fractional parts of the cube roots of the first 80 primes.
    private static let constants: [UInt64] = [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ]
}

extension UInt64 {
    fileprivate func rotated(_ bits: UInt64) -> UInt64 { self >> bits | self << (64 - bits) }
}
