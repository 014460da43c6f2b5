import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PseudoRandomBytesTests {
    @Test func `The bytes are the published output of SplitMix64`() {
        var buffer = PseudoRandomBytes(seed: 1_234_567).buffer(0..<24)
        let words = (0..<3).map { _ in buffer.readInteger(endianness: .little, as: UInt64.self) }
        #expect(words == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test func `The bytes do not depend on where reading starts`() {
        let bytes = PseudoRandomBytes(seed: 5)
        let whole = Array(bytes.buffer(0..<64).readableBytesView)
        for start in 0..<40 {
            for end in start..<64 {
                #expect(Array(bytes.buffer(start..<end).readableBytesView) == Array(whole[start..<end]))
            }
        }
    }

    @Test func `Bytes at a large offset can be read directly`() {
        let offset = 8 * 1024 * 1024 * 1024 - 3
        let bytes = PseudoRandomBytes(seed: .max).buffer(offset..<offset + 3)
        #expect(Array(bytes.readableBytesView) == [50, 60, 114])
    }
}
