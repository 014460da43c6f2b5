import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct BlockSumTests {
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("The quick brown fox jumps over the lazy dog", 0x0B24_2D36_1FDA_71BC),
        ] as [(String, UInt64)]
    )
    func `A sum equals XXH64`(text: String, sum: UInt64) {
        #expect(BlockSum.of(text.utf8) == sum)
    }

    @Test func `A sum does not depend on how the bytes are split into chunks`() {
        let bytes = pattern(500)
        for cut in 0...bytes.count {
            var sum = BlockSum()
            bytes[..<cut].withUnsafeBytes { sum.update($0) }
            bytes[cut...].withUnsafeBytes { sum.update($0) }
            #expect(sum.value == BlockSum.of(bytes))
        }
    }

    @Test func `A sum can be read between updates`() {
        var sum = BlockSum()
        for (index, byte) in pattern(100).enumerated() {
            withUnsafeBytes(of: byte) { sum.update($0) }
            #expect(sum.value == BlockSum.of(pattern(100)[...index]))
        }
    }
}
