/// The meaning of a code, packed into one word: a base value, the number of extra bits, and the code's length.
struct HuffmanEntry: Sendable {
    private var packed: UInt32

    private static let literalFlag: UInt32 = 1 << 8
    private static let endOfBlockFlag: UInt32 = 1 << 9
    private static let invalidFlag: UInt32 = 1 << 10

    /// A table entry that corresponds to no short code.
    static let empty = HuffmanEntry(packed: 0)
    /// A code that the format does not use.
    static let invalid = HuffmanEntry(packed: invalidFlag)
    /// The end of a block.
    static let endOfBlock = HuffmanEntry(packed: endOfBlockFlag)

    /// Returns the entry of a literal byte.
    static func literal(_ byte: Int) -> HuffmanEntry {
        HuffmanEntry(packed: UInt32(byte) << 16 | literalFlag)
    }

    /// Returns the entry of a number: the sum of `base` and the extra bits.
    static func number(from base: Int, extraBits: Int) -> HuffmanEntry {
        HuffmanEntry(packed: UInt32(base) << 16 | UInt32(extraBits) << 4)
    }

    /// Returns the entry for a code of `codeLength` bits, 1 to 15.
    func coded(in codeLength: Int) -> HuffmanEntry {
        HuffmanEntry(packed: packed | UInt32(codeLength))
    }

    @inline(__always) var isEmpty: Bool { packed == 0 }
    @inline(__always) var isLiteral: Bool { packed & Self.literalFlag != 0 }
    @inline(__always) var isEndOfBlock: Bool { packed & Self.endOfBlockFlag != 0 }
    @inline(__always) var isInvalid: Bool { packed & Self.invalidFlag != 0 }

    /// The length of the code in bits.
    @inline(__always) var codeLength: Int { Int(packed & 15) }
    /// The length of the code and the extra bits that follow it.
    @inline(__always) var totalLength: Int { codeLength + Int(packed >> 4 & 15) }
    /// The literal byte.
    @inline(__always) var byte: UInt8 { UInt8(truncatingIfNeeded: packed >> 16) }

    /// Returns the number whose code begins at the lowest of `bits`.
    @inline(__always)
    func number(in bits: UInt64) -> Int {
        let extra = (bits & ((1 << UInt64(totalLength)) - 1)) >> UInt64(codeLength)
        return Int(packed >> 16) + Int(extra)
    }
}

/// The three alphabets of deflate: the meaning of each symbol (RFC 1951, sections 3.2.5 and 3.2.7).
enum HuffmanAlphabet {
    /// The literal bytes, the end of a block, and the lengths of matches.
    static let literals: [HuffmanEntry] = {
        var entries = (0...255).map(HuffmanEntry.literal) + [.endOfBlock]
        var length = 3
        for symbol in 257...284 {
            let extraBits = symbol < 265 ? 0 : (symbol - 261) / 4
            entries.append(.number(from: length, extraBits: extraBits))
            length += 1 << extraBits
        }
        return entries + [.number(from: 258, extraBits: 0), .invalid, .invalid]
    }()

    /// The distances of matches.
    static let distances: [HuffmanEntry] = {
        var entries: [HuffmanEntry] = []
        var distance = 1
        for symbol in 0...29 {
            let extraBits = symbol < 2 ? 0 : symbol / 2 - 1
            entries.append(.number(from: distance, extraBits: extraBits))
            distance += 1 << extraBits
        }
        return entries + [.invalid, .invalid]
    }()

    /// The code lengths 0 to 15, and the three instructions to repeat a length.
    static let codeLengths: [HuffmanEntry] = (0...18).map { .number(from: $0, extraBits: 0) }
}
