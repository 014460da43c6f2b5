/// The version of a QR code, which determines its size, and its error correction level (ISO/IEC 18004, tables 1, 7
/// and 9).
struct QRVersion: Sendable, Hashable {
    /// The error correction level: the share of the code that may be unreadable.
    enum Correction: Sendable, CaseIterable {
        /// 7% (level L).
        case low
        /// 15% (level M).
        case medium
    }

    static let numbers = 1...20

    let number: Int
    let correction: Correction

    /// Returns the smallest version for a number of bytes, with the highest error correction level that fits.
    static func smallest(for count: Int) -> QRVersion? {
        for number in numbers {
            for correction in [Correction.medium, .low] {
                let version = QRVersion(number: number, correction: correction)
                if count <= version.capacity { return version }
            }
        }
        return nil
    }

    /// The number of modules on each side.
    var size: Int { 17 + 4 * number }

    /// The number of bits of the length field.
    var countBits: Int { number < 10 ? 8 : 16 }

    /// The maximum number of bytes of text.
    var capacity: Int { (dataCodewords * 8 - 4 - countBits) / 8 }

    /// The number of data codewords.
    var dataCodewords: Int { codewords - blocks * correctionPerBlock }

    /// The total number of codewords.
    var codewords: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let alignments = number / 7 + 2
            modules -= (25 * alignments - 10) * alignments - 55
        }
        if number >= 7 { modules -= 36 }
        return modules / 8
    }

    /// The number of blocks.
    var blocks: Int {
        let low = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]
        let medium = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]
        return (correction == .low ? low : medium)[number - 1]
    }

    /// The number of error correction codewords in each block.
    var correctionPerBlock: Int {
        let low = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
        let medium = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
        return (correction == .low ? low : medium)[number - 1]
    }

    /// The rows and columns of the centers of alignment patterns.
    var alignmentCenters: [Int] {
        if number == 1 { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }
}
