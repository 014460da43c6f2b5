import SallyportTransport

/// Reads the codes at the start of a block with dynamic Huffman codes (RFC 1951, section 3.2.7).
struct HuffmanCodesReader: Sendable {
    private enum Step {
        case counts
        case codeLengthCode(count: Int)
        case lengths(HuffmanTable)
    }

    private static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let endOfBlock = 256

    private var step = Step.counts
    private var literalCount = 0
    private var distanceCount = 0
    private var lengths: [UInt8] = []

    /// Returns the codes, or `nil` if more input is needed.
    mutating func read(from reader: inout BitReader) throws(ContentDecodingError) -> HuffmanCodes? {
        while true {
            switch step {
            case .counts:
                guard let bits = reader.read(14) else { return nil }
                literalCount = Int(bits & 31) + 257
                distanceCount = Int(bits >> 5 & 31) + 1
                guard literalCount <= 286, distanceCount <= 30 else {
                    throw .malformed(reason: "a block has too many length or distance symbols")
                }
                step = .codeLengthCode(count: Int(bits >> 10) + 4)

            case .codeLengthCode(let count):
                while lengths.count < count {
                    guard let length = reader.read(3) else { return nil }
                    lengths.append(UInt8(length))
                }
                step = .lengths(try codeLengthTable())
                lengths = []

            case .lengths(let table):
                while lengths.count < literalCount + distanceCount {
                    guard try readLength(with: table, from: &reader) else { return nil }
                }
                return try codes()
            }
        }
    }

    private func codeLengthTable() throws(ContentDecodingError) -> HuffmanTable {
        var sorted = [UInt8](repeating: 0, count: Self.codeLengthOrder.count)
        for (symbol, length) in zip(Self.codeLengthOrder, lengths) {
            sorted[symbol] = length
        }
        return try HuffmanTable(
            checking: sorted[...],
            alphabet: HuffmanAlphabet.codeLengths,
            allowsSingleCode: false
        )
    }

    /// Reads a length or an instruction to repeat one. Returns `false` if more input is needed.
    private mutating func readLength(
        with table: HuffmanTable,
        from reader: inout BitReader
    ) throws(ContentDecodingError) -> Bool {
        reader.refill()
        let entry = table.entry(for: reader.bits)
        guard entry.totalLength <= reader.count else { return false }
        guard !entry.isInvalid else { throw .malformed(reason: "a code length has an invalid code") }
        let symbol = entry.number(in: reader.bits)
        let (fewest, extraBits) =
            switch symbol {
            case 16: (3, 2)
            case 17: (3, 3)
            case 18: (11, 7)
            default: (1, 0)
            }
        guard reader.count >= entry.codeLength + extraBits else { return false }
        reader.drop(entry.codeLength)
        let repetitions = fewest + Int(reader.read(extraBits) ?? 0)
        try append(symbol, repetitions: repetitions)
        return true
    }

    private mutating func append(_ symbol: Int, repetitions: Int) throws(ContentDecodingError) {
        guard lengths.count + repetitions <= literalCount + distanceCount else {
            throw .malformed(reason: "a block has more code lengths than symbols")
        }
        guard symbol != 16 || !lengths.isEmpty else {
            throw .malformed(reason: "a code length repeats nothing")
        }
        let length =
            switch symbol {
            case 0...15: UInt8(symbol)
            case 16: lengths[lengths.count - 1]
            default: UInt8(0)
            }
        lengths.append(contentsOf: repeatElement(length, count: repetitions))
    }

    private func codes() throws(ContentDecodingError) -> HuffmanCodes {
        guard lengths[Self.endOfBlock] > 0 else {
            throw .malformed(reason: "a block has no end-of-block code")
        }
        return HuffmanCodes(
            literals: try HuffmanTable(
                checking: lengths[..<literalCount],
                alphabet: HuffmanAlphabet.literals,
                allowsSingleCode: true
            ),
            distances: try HuffmanTable(
                checking: lengths[literalCount...],
                alphabet: HuffmanAlphabet.distances,
                allowsSingleCode: true
            )
        )
    }
}
