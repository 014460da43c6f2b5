import SallyportTransport

/// The two Huffman codes of a compressed block.
struct HuffmanCodes: Sendable {
    var literals: HuffmanTable
    var distances: HuffmanTable

    /// The codes of a block with fixed Huffman codes (RFC 1951, section 3.2.6).
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

extension HuffmanCodes {
    /// Decodes the symbols of a block (RFC 1951, section 3.2.3), and returns `finished` at its end.
    ///
    /// A symbol is read only when all its bits are available. It has at most 48 bits, so one refill is enough.
    func decode(
        from reader: inout BitReader,
        into window: inout SlidingWindow
    ) throws(ContentDecodingError) -> Inflater.Progress {
        try window.withWriter { (writer) throws(ContentDecodingError) in
            try decode(from: &reader, into: &writer)
        }
    }

    @inline(__always)
    private func decode(
        from reader: inout BitReader,
        into writer: inout SymbolWriter
    ) throws(ContentDecodingError) -> Inflater.Progress {
        while writer.hasCapacity {
            if reader.count < 48 {
                reader.refill()
            }
            let entry = literals.entry(for: reader.bits)
            guard entry.totalLength <= reader.count else { return .needsInput }
            if entry.isLiteral {
                reader.drop(entry.codeLength)
                writer.append(entry.byte)
                continue
            }
            if entry.isEndOfBlock {
                reader.drop(entry.codeLength)
                return .finished
            }
            let distanceBits = reader.bits >> UInt64(entry.totalLength)
            let distanceEntry = distances.entry(for: distanceBits)
            guard entry.totalLength + distanceEntry.totalLength <= reader.count else { return .needsInput }
            let distance = distanceEntry.number(in: distanceBits)
            guard !entry.isInvalid, !distanceEntry.isInvalid, distance <= writer.position else {
                throw .malformed(reason: "a block has an unused symbol, or a distance beyond the start")
            }
            let length = entry.number(in: reader.bits)
            reader.drop(entry.totalLength + distanceEntry.totalLength)
            writer.appendMatch(length: length, distance: distance)
        }
        return .windowFull
    }
}
