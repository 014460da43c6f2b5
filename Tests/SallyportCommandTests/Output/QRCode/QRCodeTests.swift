import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct QRCodeTests {
    /// The modules of another implementation: qrcode 8.2 from PyPI.
    @Test(
        arguments: [
            Sample(
                text: "https://example.com/device?user_code=WDJB-MJHT",
                version: QRVersion(number: 4, correction: .medium),
                mask: .diagonals,
                rows: [
                    "#######.#.#.##..#####..#..#######",
                    "#.....#.#...##..#.#.#..#..#.....#",
                    "#.###.#........###.##.#...#.###.#",
                    "#.###.#.#.....###...###.#.#.###.#",
                    "#.###.#....#..#..#..#####.#.###.#",
                    "#.....#...##.##...###.....#.....#",
                    "#######.#.#.#.#.#.#.#.#.#.#######",
                    "........###......##.#............",
                    "#.##.###.#..#.#..###.#.##.#..#.##",
                    "..##.#..#.##..#.#..###.#..##.##.#",
                    "##.##.####....#.##....########.##",
                    "....#..##...###...#.#.#.##.#.#..#",
                    "#.#####..#.#...#..##.#.###.#.#...",
                    "....#...#...##..###....##.##..##.",
                    ".##.#.#######.#####.....#.##.##..",
                    "#.##....#.##.#..#.#####..##..##..",
                    "..#..###....##.##.####...##.###..",
                    ".##.#.....##.###.#...######.##.##",
                    "##...##...##...###..#.#...###.##.",
                    "###..#..##..#..##....#.#....#..#.",
                    "#..#######..#..#..#.#......####.#",
                    "###........###.#.##..........##.#",
                    "...####..##.#.#.##...#######.#.##",
                    ".###....##.##...#.##..#.#..#.#.##",
                    "#.###.###.####.###....#######..##",
                    "........######.#.#.#...##...##.##",
                    "#######.#..#.#.....##.###.#.#....",
                    "#.....#.###....##..######...###.#",
                    "#.###.#..#..#.#..#.##..######.#.#",
                    "#.###.#.#.#.#.....###......#.#.##",
                    "#.###.#.#.##.#...###.....###.##..",
                    "#.....#....##.######..###.####..#",
                    "#######.##.....####..#...##.###..",
                ]
            ),
            Sample(
                text: "https://login.example.com/oauth2/device?user_code=WDJB-MJHT&hint="
                    + String(repeating: "a", count: 60),
                version: QRVersion(number: 7, correction: .low),
                mask: .diamonds,
                rows: [
                    "#######.#.##.##...#####...#...#.##..#.#######",
                    "#.....#....####.#...##..#..###..##.#..#.....#",
                    "#.###.#..##.#.....##.#####.#..####.#..#.###.#",
                    "#.###.#..###.##..##.##############.##.#.###.#",
                    "#.###.#...#.#.....#########...###.###.#.###.#",
                    "#.....#........##...#...#.#.##........#.....#",
                    "#######.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#######",
                    "........###.#.#....##...#.#####.....#........",
                    "##.##.#..###.#..##..#####..##.#..###..#.....#",
                    ".#.#...#.###.##.#.#..#..################..##.",
                    "##.##.###...#.#...#.#....#...#..###.#.....###",
                    "#....#...#.###..########.....##.#.#.......#..",
                    "..#...##......##.###..#...#.#.#.#.##..#.##..#",
                    "..##...#.#...#.#.....##...##.##.##.##.##..##.",
                    "#..##.##.##.#.#.#.##.#.######..#.#.######.#..",
                    ".#......#..##...######..#.#......#..#....####",
                    "###..##....#.#.#.#####..##...#####.#.##.....#",
                    "...#.#.....#...#..########.#.######.##.#.####",
                    "....#.##..#..###..#.#..###.##....#..##....#.#",
                    "#.###...####..###..###.####.#.##....###.#####",
                    ".#########.....#.##.#####...###...#.#####....",
                    "#.#.#...#..##..##...#...#############...#.#..",
                    "#..##.#.###.#.#.....#.#.#..#.#..###.#.#.#..##",
                    "#.###...#....#..##..#...##...##.#####...####.",
                    "..#.###########.#..######.#.##..#.#.#####..##",
                    "..###..#.###..#...##....#.##..#.....#.##..#..",
                    "#.#...#####..#..#..####...##....##..#...###..",
                    "#...#...####.##.#.#..####.#...#...##....###.#",
                    ".#..#####..#.####.####...##...###..###.###...",
                    "...##...###.#.####..###..#.##.##.####.####..#",
                    "#...#.##.#..#...###.#.##.#.###.###..######..#",
                    "....##......##.####....####.##.#.###.#.##.#.#",
                    "###...##.####.###.#...#####.##.#.#...#.#...#.",
                    "#..##...#.#.#.##.####.#.###..######.#####.#..",
                    "....#.#####.#.####..#.##.##..#.#.###.##...###",
                    ".####..#.#####.#..##....#....##.#.#...#.#.##.",
                    "#..##.##..##..#...#######.#.#.#.#.########...",
                    "........#.####......#...#.##.##.##.##...##.#.",
                    "#######...####.###.##.#.#####..#.#..#.#.##...",
                    "#.....#..##.#####...#...##.#.##...###...#.###",
                    "#.###.#.#..##.#.....######...####.########..#",
                    "#.###.#.##...#..####.#...#.##.######.##..####",
                    "#.###.#..###.##.#..#######..##...#..##..#.#.#",
                    "#.....#.####..#....##.#..##.#.##...##.#######",
                    "#######.###......##..#.##...###...#.###......",
                ]
            ),
        ]
    )
    func `Codes of several sizes equal those of the qrcode package`(sample: Sample) {
        let code = QRCode(bytes: Array(sample.text.utf8), version: sample.version, mask: sample.mask)
        let rows = (0..<code.size).map { row in String((0..<code.size).map { code.isDark(row, $0) ? "#" : "." }) }
        #expect(rows == sample.rows)
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let version: QRVersion
        let mask: QRMask
        let rows: [String]

        var testDescription: String { "version \(version.number)" }
    }

    @Test func `The smallest version is used, with the highest correction level that fits`() {
        let picked = [0, 14, 15, 17, 18, 42, 213, 214, 271, 272, 858].map { QRVersion.smallest(for: $0) }
        let expected =
            [
                (1, .medium), (1, .medium), (1, .low), (1, .low), (2, .medium), (3, .medium), (9, .low), (9, .low),
                (10, .low), (11, .low), (20, .low),
            ] as [(Int, QRVersion.Correction)]
        #expect(picked == expected.map { QRVersion(number: $0.0, correction: $0.1) })
        #expect(QRVersion.smallest(for: 859) == nil)
        #expect(QRCode(String(repeating: "a", count: 859)) == nil)
    }

    @Test(
        arguments: [
            (1, 17, 14), (2, 32, 26), (3, 53, 42), (4, 78, 62), (5, 106, 84), (6, 134, 106), (7, 154, 122),
            (8, 192, 152),
            (9, 230, 180), (10, 271, 213), (11, 321, 251), (12, 367, 287), (13, 425, 331), (14, 458, 362),
            (15, 520, 412),
            (16, 586, 450), (17, 644, 504), (18, 718, 560), (19, 792, 624), (20, 858, 666),
        ]
    )
    func `The capacity equals table 7 of ISO/IEC 18004`(number: Int, low: Int, medium: Int) {
        #expect(QRVersion(number: number, correction: .low).capacity == low)
        #expect(QRVersion(number: number, correction: .medium).capacity == medium)
    }

    @Test(
        arguments: [
            (1, []), (2, [6, 18]), (6, [6, 34]), (7, [6, 22, 38]), (10, [6, 28, 50]), (14, [6, 26, 46, 66]),
            (16, [6, 26, 50, 74]), (20, [6, 34, 62, 90]),
        ]
    )
    func `Alignment patterns are at the positions of annex E of ISO/IEC 18004`(number: Int, centers: [Int]) {
        #expect(QRVersion(number: number, correction: .low).alignmentCenters == centers)
    }

    @Test func `The error correction codewords equal the example in annex I of ISO/IEC 18004`() {
        let data: [UInt8] = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17]
        let correction: [UInt8] = [165, 36, 212, 193, 237, 54, 199, 135, 44, 85]
        #expect(ReedSolomon.correction(of: data, count: 10) == correction)
    }

    @Test func `Products in the Galois field equal shift and XOR`() {
        #expect(ReedSolomon.product(0x80, 2) == 0x1D)
        #expect(ReedSolomon.product(0, 0xFF) == 0)
        for element in UInt8.min ... .max {
            #expect(ReedSolomon.product(element, 1) == element)
            #expect(ReedSolomon.product(element, 3) == ReedSolomon.product(element, 2) ^ element)
        }
    }

    @Test func `Format and version bits equal the examples in ISO/IEC 18004`() {
        #expect(QRFormat.bits(.medium, .crosses) == 0b100_0000_1100_1110)
        #expect(QRFormat.bits(.low, .checkerboard) == 0b111_0111_1100_0100)
        #expect(QRFormat.bits(ofVersion: 7) == 0b00_0111_1100_1001_0100)
    }

    @Test func `A code has the mask with the lowest penalty`() throws {
        let text = "https://example.com/device"
        let version = try #require(QRVersion.smallest(for: text.utf8.count))
        let codewords = QRCodewords.all(for: Array(text.utf8), in: version)
        let penalties = QRMask.allCases.map { mask in
            var grid = QRGrid(version, mask: mask)
            grid.fill(with: codewords)
            grid.apply(mask)
            return (penalty: grid.penalty, modules: grid.modules)
        }
        let best = try #require(penalties.min { $0.penalty < $1.penalty })
        let code = try #require(QRCode(text))
        #expect(Set(penalties.map(\.penalty)).count > 1)
        #expect(
            (0..<code.size).allSatisfy { row in
                (0..<code.size).allSatisfy { code.isDark(row, $0) == best.modules[row][$0] }
            }
        )
    }
}
