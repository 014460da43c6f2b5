import Foundation
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct AuthenticatorDataTests {
    @Test func `Random bytes are decoded or refused without a failure`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let data = Data(
                (0..<Int.random(in: 0..<120, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            )
            _ = try? AuthenticatorData(data)
        }
    }
}
