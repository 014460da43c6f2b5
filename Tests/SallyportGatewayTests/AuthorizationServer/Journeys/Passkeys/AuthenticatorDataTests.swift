import Foundation
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct AuthenticatorDataTests {
    @Test func `Random bytes are decoded or refused without a failure`() {
        var generator = SeededGenerator(seed: 1)
        func bytes(_ count: Int) -> Data {
            Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        for _ in 0..<20_000 {
            _ = try? AuthenticatorData(bytes(Int.random(in: 0..<120, using: &generator)))
            // With a credential, extensions or both; the identifier is short enough for a key to follow.
            let flags: UInt8 = [0x41, 0x81, 0xC1].randomElement(using: &generator) ?? 0xC1
            let length = UInt8.random(in: 0..<24, using: &generator)
            let start = bytes(32) + [flags] + bytes(20) + [0, length]
            _ = try? AuthenticatorData(start + bytes(Int.random(in: 0..<120, using: &generator)))
        }
    }
}
