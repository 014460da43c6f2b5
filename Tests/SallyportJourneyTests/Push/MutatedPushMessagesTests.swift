import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.busy) struct MutatedPushMessagesTests {
    /// The number of mutations per test: 5,000 by default, or half the value of `SALLYPORT_MUTATIONS`, as in ``MutatedNodesTests``.
    private static let count =
        (ProcessInfo.processInfo.environment["SALLYPORT_MUTATIONS"].flatMap { Int($0) } ?? 10_000) / 2

    @Test func `A message whose bytes were changed is refused with a specific error`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism)
        var random = SeededGenerator(seed: 14)
        for _ in 0..<Self.count {
            await Task.yield()
            let mutated = token.mutated(with: 0...255, using: &random)
            do {
                let message = try SignedPushMessage(mutated)
                    .verified(by: mechanism, messageID: "A:1", at: PushFixture.now)
                #expect(mutated == token, "a changed message was accepted: \(message)")
            } catch {
                #expect([.malformedMessage, .invalidSignature].contains(error.reason), "\(error)")
            }
        }
    }

    @Test func `A signed message with arbitrary claims is accepted or refused with a specific error`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let names = ["u", "c", "l", "t", "i", "m", "p", "k", "n", "x", "d"]
        var random = SeededGenerator(seed: 15)
        var accepted = 0
        for _ in 0..<Self.count {
            await Task.yield()
            var claims = fixture.claims(for: mechanism)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                claims[names.randomElement(using: &random) ?? "u"] = Self.value(using: &random)
            }
            let token = try JsonWebSignature.sign(claims, sharedSecret: fixture.secret)
            do {
                let message = try SignedPushMessage(token)
                    .verified(by: mechanism, messageID: "A:1", at: PushFixture.now)
                accepted += 1
                #expect(message.expiresAt > PushFixture.now)
            } catch {
                #expect([.malformedMessage, .expired, .notYetValid].contains(error.reason), "\(error)")
            }
        }
        #expect(accepted > 0)
    }

    @Test func `A URI whose bytes were changed is accepted or refused with a specific error`() async {
        let uri = PushFixture().uri()
        var random = SeededGenerator(seed: 16)
        for _ in 0..<Self.count {
            await Task.yield()
            do {
                _ = try PushEnrollment(uri.mutated(with: 0...255, using: &random))
            } catch {
                switch error.reason {
                case .unsupportedURI, .missingParameter, .invalidParameter, .insecureEndpoint, .weakSecret: break
                default: Issue.record("\(error)")
                }
            }
        }
    }

    private static let texts = ["challenge", "biometric", "default", "1,2", "0", "\u{202E}\u{0}", "YT1i"]

    private static func value(using random: inout SeededGenerator) -> JsonValue? {
        switch Int.random(in: 0...9, using: &random) {
        case 0: nil
        case 1: .null
        case 2: .bool(Bool.random(using: &random))
        case 3: .integer(Int64.random(in: .min ... .max, using: &random))
        case 4: .number(Double.random(in: -1e300...1e300, using: &random))
        case 5: .array(["1", 2, .null])
        case 6: .object(["c": "1"])
        case 7: .string(String(Int64.random(in: -10...2_000_000_000_000, using: &random)))
        case 8: .string(texts.randomElement(using: &random) ?? "")
        default: .string(String(repeating: "a", count: Int.random(in: 0...200, using: &random)))
        }
    }
}
