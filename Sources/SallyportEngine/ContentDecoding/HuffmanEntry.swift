/// What a code stands for, packed into one word: a base value, the extra bits that follow, and the code's length.
struct HuffmanEntry: Sendable {
    private var packed: UInt32

    private static let literalFlag: UInt32 = 1 << 8
    private static let endOfBlockFlag: UInt32 = 1 << 9
    private static let invalidFlag: UInt32 = 1 << 10

    /// A place of a table where no short code begins.
    static let empty = HuffmanEntry(packed: 0)
    /// A code that the format does not use.
    static let invalid = HuffmanEntry(packed: invalidFlag)
    /// The end of a block.
    static let endOfBlock = HuffmanEntry(packed: endOfBlockFlag)

    /// One byte, as it is.
    static func literal(_ byte: Int) -> HuffmanEntry {
        HuffmanEntry(packed: UInt32(byte) << 16 | literalFlag)
    }

    /// A number: `base` and the value of the extra bits.
    static func number(from base: Int, extraBits: Int) -> HuffmanEntry {
        HuffmanEntry(packed: UInt32(base) << 16 | UInt32(extraBits) << 4)
    }

    /// The same meaning for a code of `codeLength` bits, 1 to 15.
    func coded(in codeLength: Int) -> HuffmanEntry {
        HuffmanEntry(packed: packed | UInt32(codeLength))
    }

    @inline(__always) var isEmpty: Bool { packed == 0 }
    @inline(__always) var isLiteral: Bool { packed & Self.literalFlag != 0 }
    @inline(__always) var isEndOfBlock: Bool { packed & Self.endOfBlockFlag != 0 }
    @inline(__always) var isInvalid: Bool { packed & Self.invalidFlag != 0 }

    /// The length of the code in bits.
    @inline(__always) var codeLength: Int { Int(packed & 15) }
    /// The length of the code and of the extra bits behind it.
    @inline(__always) var totalLength: Int { codeLength + Int(packed >> 4 & 15) }
    /// The literal byte.
    @inline(__always) var byte: UInt8 { UInt8(truncatingIfNeeded: packed >> 16) }

    /// The number that begins at the lowest of `bits` with this code.
    @inline(__always)
    func number(in bits: UInt64) -> Int {
        let extra = (bits & ((1 << UInt64(totalLength)) - 1)) >> UInt64(codeLength)
        return Int(packed >> 16) + Int(extra)
    }
}
