/// What a QR code says of itself, with bits that correct errors (ISO/IEC 18004, sections 7.9 and 7.10).
enum QRFormat {
    /// The level of correction and the mask, in 15 bits.
    static func bits(_ correction: QRVersion.Correction, _ mask: QRMask) -> Int {
        let data = (correction == .low ? 0b01 : 0b00) << 3 | mask.rawValue
        return (data << 10 | remainder(of: data, degree: 10, generator: 0b101_0011_0111)) ^ 0b101_0100_0001_0010
    }

    /// The version, in 18 bits.
    static func bits(ofVersion number: Int) -> Int {
        number << 12 | remainder(of: number, degree: 12, generator: 0b1_1111_0010_0101)
    }

    private static func remainder(of data: Int, degree: Int, generator: Int) -> Int {
        var remainder = data
        for _ in 0..<degree { remainder = remainder << 1 ^ (remainder >> (degree - 1)) * generator }
        return remainder
    }
}
