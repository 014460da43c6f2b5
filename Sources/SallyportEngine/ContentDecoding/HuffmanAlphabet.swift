/// The three alphabets of deflate: what each symbol stands for (RFC 1951 sections 3.2.5 and 3.2.7).
enum HuffmanAlphabet {
    /// Bytes, the end of a block, and the lengths of matches.
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

    /// Code lengths 0 to 15, and the three instructions to repeat a length.
    static let codeLengths: [HuffmanEntry] = (0...18).map { .number(from: $0, extraBits: 0) }
}
