import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct PushMessageTests {
    @Test func `A message with a forged signature is refused`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let forged = try JsonWebSignature.sign(fixture.claims(for: mechanism), sharedSecret: Data("guess".utf8))
        await expectError(\MechanismError.reason, .invalidSignature) {
            try await fixture.push.receive(forged, messageID: "A:1")
        }
        #expect(try await fixture.push.pendingMessages().isEmpty)
    }

    @Test(arguments: ["none", "HS512", "ES256"])
    func `A message with another algorithm is refused`(_ algorithm: String) async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let parts = try fixture.message(for: mechanism).split(separator: ".")
        let header = Base64Url.encode(Data(#"{"alg":"\#(algorithm)"}"#.utf8))
        await expectError(\MechanismError.reason, .invalidSignature) {
            try await fixture.push.receive("\(header).\(parts[1]).\(parts[2])", messageID: "A:1")
        }
    }

    @Test func `A message for another mechanism is refused`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism, ["u": "another"])
        await expectError(\MechanismError.reason, .unknownMechanism) {
            try await fixture.push.receive(token, messageID: "A:1")
        }
    }

    @Test func `A message that was received before is refused, also with another identifier and after its answer`()
        async throws
    {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism)
        let message = try await fixture.push.receive(token, messageID: "A:1")
        for identifier in ["A:1", "A:2"] {
            await expectError(\MechanismError.reason, .replayed) {
                try await fixture.push.receive(token, messageID: identifier)
            }
        }
        try await fixture.push.approve(message)
        await expectError(\MechanismError.reason, .replayed) {
            try await fixture.otherClient().receive(token, messageID: "A:1")
        }
    }

    @Test(arguments: [120.0, 121, 86_400])
    func `A message that is older than its lifetime is refused`(_ age: TimeInterval) async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism)
        fixture.clock.withLock { $0 += age }
        await expectError(\MechanismError.reason, .expired) { try await fixture.push.receive(token, messageID: "A:1") }
    }

    @Test func `A message that expires before its answer is refused, and nothing is sent`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        fixture.clock.withLock { $0 += 120 }
        await expectError(\MechanismError.reason, .expired) { try await fixture.push.approve(message) }
        #expect(fixture.server.requests.count == 1)
        #expect(try await fixture.push.pendingMessages().isEmpty)
    }

    @Test func `The lifetime of a message is at most a day`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism, ["t": "99999999999"])
        #expect(try await fixture.push.receive(token, messageID: "A:1").expiresAt == PushFixture.now + 86_400)
    }

    @Test func `A message from the future is refused, except for a small difference of the clocks`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        func token(_ seconds: TimeInterval) throws -> String {
            let time = (PushFixture.now.timeIntervalSince1970 + seconds) * 1000
            return try fixture.message(for: mechanism, ["i": .integer(Int64(time))])
        }
        try await fixture.push.receive(try token(60), messageID: "A:1")
        await expectError(\MechanismError.reason, .notYetValid) {
            try await fixture.push.receive(try token(61), messageID: "A:2")
        }
    }

    @Test func `Times are accepted as numbers and as text`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(
            for: mechanism,
            ["i": .integer(Int64(PushFixture.now.timeIntervalSince1970 * 1000)), "t": 30]
        )
        #expect(try await fixture.push.receive(token, messageID: "A:1").expiresAt == PushFixture.now + 30)
    }

    @Test(
        arguments: [
            ["u": nil], ["u": 1], ["c": nil], ["c": ""], ["c": "%%%"], ["i": nil], ["i": "today"], ["t": nil],
            ["t": "0"], ["t": "-5"], ["t": "1e400"], ["l": "amlbcookie=01"], ["k": "unknown"],
            ["k": "challenge"], ["k": "challenge", "n": "1,two"], ["k": "challenge", "n": "1,,2"],
            ["k": "challenge", "n": "1,2,3,4,5,6,7,8,9,10,11"], ["i": "99999999999999999999"],
        ] as [[String: JsonValue?]]
    )
    func `A message without a required claim, or with an invalid one, is refused`(_ changes: [String: JsonValue?])
        async throws
    {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism, changes)
        await expectError(\MechanismError.reason, .malformedMessage) {
            try await fixture.push.receive(token, messageID: "A:1")
        }
    }

    @Test(
        arguments: [
            "", "a.b", "a.b.c", "e30.e30.", "e30.W10.", "e30.eyJ1IjoxfQ.", String(repeating: "a", count: 5000),
        ]
    )
    func `Text that is not a signed message is refused`(_ token: String) async throws {
        let fixture = PushFixture()
        try await fixture.enroll()
        await expectError(\MechanismError.reason, .malformedMessage) {
            try await fixture.push.receive(token, messageID: "A:1")
        }
    }

    @Test(arguments: ["", String(repeating: "A", count: 257)])
    func `A message with an identifier of an invalid length is refused`(_ identifier: String) async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism)
        await expectError(\MechanismError.reason, .malformedMessage) {
            try await fixture.push.receive(token, messageID: identifier)
        }
    }

    @Test func `Messages beyond the maximum are refused until others expire`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        func receive(_ number: Int) async throws {
            let time = Int64(fixture.clock.withLock { $0 }.timeIntervalSince1970 * 1000)
            let token = try fixture.message(for: mechanism, ["m": "\(number)", "i": .integer(time)])
            try await fixture.push.receive(token, messageID: "A:\(number)")
        }
        for number in 0..<MechanismRecord.maximumPending { try await receive(number) }
        await expectError(\MechanismError.reason, .full) { try await receive(-1) }
        fixture.clock.withLock { $0 += 121 }
        try await receive(-2)
        #expect(try await fixture.push.pendingMessages().count == 1)
    }
}
