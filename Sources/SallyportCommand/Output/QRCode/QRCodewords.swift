/// Creates the data and error correction codewords of a QR code (ISO/IEC 18004, sections 7.4 to 7.6).
enum QRCodewords {
    /// Returns all codewords in the order of placement, with the blocks interleaved.
    static func all(for bytes: [UInt8], in version: QRVersion) -> [UInt8] {
        let data = blocks(of: data(for: bytes, in: version), in: version)
        let correction = data.map { ReedSolomon.correction(of: $0, count: version.correctionPerBlock) }
        return interleaved(data) + interleaved(correction)
    }

    /// Returns the data codewords: mode, length, text, and padding to the capacity of the version.
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

    /// Splits codewords into blocks. The shorter blocks come first; the others have one more codeword.
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

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in blocks.compactMap { index < $0.count ? $0[index] : nil } }
    }
}

/// Reed–Solomon codes over the field of 256 elements, as QR codes use them (ISO/IEC 18004, annex A).
enum ReedSolomon {
    /// Returns the error correction codewords for data codewords.
    static func correction(of data: [UInt8], count: Int) -> [UInt8] {
        let generator = generator(degree: count)
        var remainder = [UInt8](repeating: 0, count: count)
        for codeword in data {
            let factor = codeword ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(generator[index], factor) }
        }
        return remainder
    }

    /// Returns the coefficients of the product of (x - 2^i), from the second highest power; the highest coefficient is 1.
    private static func generator(degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    /// Returns the product of two elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
    static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carries = product & 0x80 != 0
            product = product << 1 ^ (carries ? 0x1D : 0) ^ (second >> UInt8(bit) & 1) * first
        }
        return product
    }
}
