/// The codewords of a QR code: the text, and what corrects errors in it (ISO/IEC 18004, sections 7.4 to 7.6).
enum QRCodewords {
    /// All codewords in the order in which they are placed: those of all blocks in turn.
    static func all(for bytes: [UInt8], in version: QRVersion) -> [UInt8] {
        let data = blocks(of: data(for: bytes, in: version), in: version)
        let correction = data.map { ReedSolomon.correction(of: $0, count: version.correctionPerBlock) }
        return inTurn(data) + inTurn(correction)
    }

    /// The text with its mode and length in front, filled up to the version's size.
    static func data(for bytes: [UInt8], in version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version.countBits)
        for byte in bytes { append(Int(byte), 8) }
        let size = version.dataCodewords
        append(0, min(4, size * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var filler = [0xEC, 0x11]
        while bits.count < size * 8 {
            append(filler[0], 8)
            filler.swapAt(0, 1)
        }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    /// The shorter blocks come first; the others have one codeword more.
    private static func blocks(of data: [UInt8], in version: QRVersion) -> [[UInt8]] {
        let size = data.count / version.blocks
        let short = version.blocks - data.count % version.blocks
        var rest = data[...]
        return (0..<version.blocks).map { index in
            let block = rest.prefix(index < short ? size : size + 1)
            rest = rest.dropFirst(block.count)
            return Array(block)
        }
    }

    private static func inTurn(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in blocks.compactMap { index < $0.count ? $0[index] : nil } }
    }
}
