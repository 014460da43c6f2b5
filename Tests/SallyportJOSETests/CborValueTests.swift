import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CborValueTests {
    private static func hexadecimal(_ value: CborValue) -> String {
        value.encoded().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func decode(_ hexadecimal: String) -> CborValue? {
        var data = Data()
        var rest = hexadecimal[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            data.append(byte)
            rest = rest.dropFirst(2)
        }
        return CborValue.decode(&data)
    }

    // MARK: Encoding

    @Test(
        arguments: [
            (0, "00"), (1, "01"), (23, "17"), (24, "1818"), (100, "1864"), (255, "18ff"), (256, "190100"),
            (1000, "1903e8"), (65_535, "19ffff"), (65_536, "1a00010000"), (1_000_000, "1a000f4240"),
            (1_000_000_000_000, "1b000000e8d4a51000"), (-1, "20"), (-10, "29"), (-100, "3863"), (-1000, "3903e7"),
            (.max, "1b7fffffffffffffff"), (.min, "3b7fffffffffffffff"),
        ] as [(Int64, String)]
    )
    func `Integers are encoded as in RFC 8949, appendix A`(_ number: Int64, _ expected: String) {
        #expect(Self.hexadecimal(.integer(number)) == expected)
    }

    @Test func `Text, bytes and maps are encoded as in RFC 8949, appendix A`() {
        #expect(Self.hexadecimal(.text("")) == "60")
        #expect(Self.hexadecimal(.text("IETF")) == "6449455446")
        #expect(Self.hexadecimal(.text("\u{6C34}")) == "63e6b0b4")
        #expect(Self.hexadecimal(.bytes(Data([1, 2, 3, 4]))) == "4401020304")
        #expect(Self.hexadecimal(.map([])) == "a0")
        let map = CborValue.map([
            (key: .integer(3), value: .integer(4)), (key: .integer(1), value: .integer(2)),
        ])
        #expect(Self.hexadecimal(map) == "a201020304")
    }

    @Test func `Arrays, Booleans and null are encoded as in RFC 8949, appendix A`() {
        #expect(Self.hexadecimal(.array([])) == "80")
        #expect(Self.hexadecimal(.array([.integer(1), .array([.integer(2), .integer(3)])])) == "8201820203")
        #expect(Self.hexadecimal(.bool(false)) == "f4" && Self.hexadecimal(.bool(true)) == "f5")
        #expect(Self.hexadecimal(.null) == "f6")
    }

    @Test func `The keys of a map are sorted by the rules of CTAP2`() {
        let keys: [CborValue] = [
            .text("authData"), .text("fmt"), .integer(-1), .text("attStmt"), .integer(24), .integer(3), .integer(1),
        ]
        let map = CborValue.map(keys.map { (key: $0, value: .integer(0)) })
        #expect(
            Self.hexadecimal(map)
                == "a7" + "0100" + "0300" + "181800" + "2000" + "63666d7400" + "6761747453746d7400"
                + "68617574684461746100"
        )
    }

    // MARK: Decoding

    @Test(
        arguments: [
            ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1000)),
            ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)),
            ("20", .integer(-1)), ("3903e7", .integer(-1000)), ("f4", .bool(false)), ("f5", .bool(true)),
            ("f6", .null), ("40", .bytes(Data())), ("4401020304", .bytes(Data([1, 2, 3, 4]))), ("60", .text("")),
            ("62c3bc", .text("ü")), ("80", .array([])), ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
            ("a0", .map([])), ("a201020304", .map([(.integer(1), .integer(2)), (.integer(3), .integer(4))])),
        ] as [(String, CborValue)]
    )
    func `Values are decoded as in RFC 8949, appendix A`(hexadecimal: String, value: CborValue) {
        #expect(decode(hexadecimal) == value)
    }

    @Test(
        arguments: [
            // Nothing, and values that end too early
            "", "18", "19ff", "41", "6261", "8201", "a1", "a101", "5affffffff", "9bffffffffffffffff",
            // Values of indefinite length, tags, floating-point numbers, undefined, and reserved arguments
            "5f4101ff", "9f01ff", "bf0102ff", "c000", "f93c00", "f7", "f814", "1c",
            // Integers outside of Int64, text that is not UTF-8, repeated keys
            "1bffffffffffffffff", "3bffffffffffffffff", "62c328", "a201020103",
        ]
    )
    func `Other values are refused`(hexadecimal: String) {
        #expect(decode(hexadecimal) == nil)
    }

    @Test func `Deeply nested values are refused, and large ones do not reserve memory`() {
        #expect(decode(String(repeating: "81", count: 7) + "00") != nil)
        #expect(decode(String(repeating: "81", count: 8) + "00") == nil)
        #expect(decode("9affffffff" + String(repeating: "00", count: 100)) == nil)
        #expect(decode("b841" + String(repeating: "00", count: 130)) == nil)
    }

    @Test func `Random bytes are decoded or refused without a failure`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            var data = Data(
                (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            )
            _ = CborValue.decode(&data)
        }
    }
}
