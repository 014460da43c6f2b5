import SallyportTransport

extension HuffmanCodes {
    /// Decodes the symbols of a block (RFC 1951 section 3.2.3): `finished` at the end of the block.
    ///
    /// A symbol is taken from the reader only when all its bits are there: 48 at most, so one refill is enough.
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
        while writer.hasRoom {
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
