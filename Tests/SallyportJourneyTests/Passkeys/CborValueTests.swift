import Foundation
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct CborValueTests {
    @Test(
        arguments: [
            (0, "00"), (1, "01"), (23, "17"), (24, "1818"), (100, "1864"), (255, "18ff"), (256, "190100"),
            (1000, "1903e8"), (65_535, "19ffff"), (65_536, "1a00010000"), (1_000_000, "1a000f4240"),
            (1_000_000_000_000, "1b000000e8d4a51000"), (-1, "20"), (-10, "29"), (-100, "3863"), (-1000, "3903e7"),
            (.max, "1b7fffffffffffffff"), (.min, "3b7fffffffffffffff"),
        ] as [(Int64, String)]
    )
    func `Integers are encoded as in RFC 8949, appendix A`(_ number: Int64, _ expected: String) throws {
        #expect(try Self.hexadecimal(.integer(number)) == expected)
    }

    @Test func `Text, bytes and maps are encoded as in RFC 8949, appendix A`() throws {
        #expect(try Self.hexadecimal(.text("")) == "60")
        #expect(try Self.hexadecimal(.text("IETF")) == "6449455446")
        #expect(try Self.hexadecimal(.text("\u{6C34}")) == "63e6b0b4")
        #expect(try Self.hexadecimal(.bytes(Data([1, 2, 3, 4]))) == "4401020304")
        #expect(try Self.hexadecimal(.map([])) == "a0")
        let map = CborValue.map([
            (key: .integer(3), value: .integer(4)), (key: .integer(1), value: .integer(2)),
        ])
        #expect(try Self.hexadecimal(map) == "a201020304")
    }

    @Test func `The keys of a map are sorted by the rules of CTAP2`() throws {
        let keys: [CborValue] = [
            .text("authData"), .text("fmt"), .integer(-1), .text("attStmt"), .integer(24), .integer(3), .integer(1),
        ]
        let map = CborValue.map(keys.map { (key: $0, value: .integer(0)) })
        #expect(
            try Self.hexadecimal(map)
                == "a7" + "0100" + "0300" + "181800" + "2000" + "63666d7400" + "6761747453746d7400"
                + "68617574684461746100"
        )
    }

    @Test func `Values that are too long or too deep are refused`() {
        expectError(\AuthenticatorError.reason, .invalidRequest) {
            try CborValue.bytes(Data(count: CborValue.maximumLength)).encoded()
        }
        var value = CborValue.map([])
        for _ in 0..<5 { value = .map([(key: .integer(1), value: value)]) }
        expectError(\AuthenticatorError.reason, .invalidRequest) { [value] in try value.encoded() }
    }

    private static func hexadecimal(_ value: CborValue) throws -> String {
        try value.encoded().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
