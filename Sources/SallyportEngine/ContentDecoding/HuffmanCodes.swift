/// The two codes of a compressed block.
struct HuffmanCodes: Sendable {
    var literals: HuffmanTable
    var distances: HuffmanTable

    /// The codes of a block that describes none (RFC 1951 section 3.2.6).
    static let fixed: HuffmanCodes = {
        let literalLengths = [(8, 144), (9, 112), (7, 24), (8, 8)].flatMap { length, count in
            [UInt8](repeating: UInt8(length), count: count)
        }
        let distanceLengths = [UInt8](repeating: 5, count: 32)
        return HuffmanCodes(
            literals: HuffmanTable(lengths: literalLengths[...], alphabet: HuffmanAlphabet.literals),
            distances: HuffmanTable(lengths: distanceLengths[...], alphabet: HuffmanAlphabet.distances)
        )
    }()
}
