/// Reed–Solomon codes over the field of 256 elements, as QR codes use them (ISO/IEC 18004, annex A).
enum ReedSolomon {
    /// The codewords that correct errors in others.
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

    /// The coefficients of the product of (x - 2^i), from the second highest power down; the highest is one.
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

    /// The product of two elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
    static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carries = product & 0x80 != 0
            product = product << 1 ^ (carries ? 0x1D : 0) ^ (second >> UInt8(bit) & 1) * first
        }
        return product
    }
}
