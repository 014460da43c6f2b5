import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct OneTimePasswordTests {
    @Test func `The codes are those of RFC 4226, appendix D`() {
        let password = OneTimePasswordSecret(secret: Data("12345678901234567890".utf8), algorithm: .sha1, digits: 6)
        let codes = (0..<10).map { password.code($0) }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
            ]
        )
        #expect(password.base32 == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    }

    @Test(
        arguments: [
            (OneTimePasswordSecret.Algorithm.sha1, 20, "94287082", "65353130"),
            (.sha256, 32, "46119246", "77737706"), (.sha512, 64, "90693936", "47863826"),
        ]
    )
    func `The codes are those of RFC 6238, appendix B`(
        algorithm: OneTimePasswordSecret.Algorithm,
        length: Int,
        first: String,
        last: String
    ) {
        let secret = Data(String(repeating: "1234567890", count: 7).utf8.prefix(length))
        let password = OneTimePasswordSecret(secret: secret, algorithm: algorithm, digits: 8)
        #expect(password.code(59 / 30) == first)
        #expect(password.code(20_000_000_000 / 30) == last)
    }

    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func `Base32 is that of RFC 4648, section 10, without padding`(text: String) {
        let expected = [
            "": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB",
            "foobar": "MZXW6YTBOI",
        ]
        let password = OneTimePasswordSecret(secret: Data(text.utf8), algorithm: .sha1, digits: 6)
        #expect(password.base32 == expected[text])
    }

    /// A generator whose secret is in the URI of a registration.
    private struct Generator {
        let password: OneTimePasswordSecret

        init(_ uri: String) throws {
            let secret = try #require(uri.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            let digits = try #require(uri.firstMatch(of: /digits=([0-9])/).flatMap { Int($0.1) })
            let algorithm = try #require(uri.firstMatch(of: /algorithm=([A-Z0-9]+)/)).1
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            let bits = secret.flatMap { letter -> [Int] in
                let value = alphabet.firstIndex(of: letter) ?? 0
                return (0..<5).map { value >> (4 - $0) & 1 }
            }
            let bytes = (0..<bits.count / 8).map { index in
                bits[index * 8..<index * 8 + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
            }
            password = OneTimePasswordSecret(
                secret: Data(bytes),
                algorithm: try #require(.init(rawValue: String(algorithm))),
                digits: digits
            )
        }

        /// Returns the TOTP code at a time.
        func code(_ time: Date) -> JsonValue {
            .string(password.code(UInt64(time.timeIntervalSince1970) / 30))
        }
    }

    /// Answers the login of the tree `OneTimePassword`.
    private func login(_ journey: JourneyClient) async throws -> JourneyResponse {
        let step = try await journey.start("OneTimePassword")
        return try await journey.answer(step, ["IDToken1": "alice", "IDToken2": "wonderland"])
    }

    @Test func `A user registers a generator, and signs in with a code, which can be used once`() async throws {
        try await JourneyClient.with { journey in
            let registration = try await login(journey)
            #expect(registration.types == ["TextOutputCallback", "HiddenValueCallback", "ConfirmationCallback"])
            #expect(registration.output("id", of: 1) == "mfaDeviceRegistration")
            let uri = try #require(registration.output("value", of: 1)?.string)
            #expect(uri.hasPrefix("otpauth://totp/Sallyport:alice?secret="))
            let generator = try Generator(uri)
            let step = try await journey.answer(registration)
            #expect(step.types == ["PasswordCallback"])
            _ = try await journey.answer(step, ["IDToken1": generator.code(journey.clock.now)]).token
            let second = try await login(journey)
            #expect(second.types == ["PasswordCallback"])
            // The tree asks again after a used, a wrong and an old code.
            var again = try await journey.answer(second, ["IDToken1": generator.code(journey.clock.now)])
            #expect(again.types == ["PasswordCallback"])
            again = try await journey.answer(again, ["IDToken1": "000000"])
            #expect(again.types == ["PasswordCallback"])
            journey.clock.advance(90)
            again = try await journey.answer(again, ["IDToken1": generator.code(journey.clock.now - 60)])
            #expect(again.types == ["PasswordCallback"])
            _ = try await journey.answer(again, ["IDToken1": generator.code(journey.clock.now - 30)]).token
        }
    }

    @Test func `A generator whose registration the user has not confirmed is not registered`() async throws {
        try await JourneyClient.with { journey in
            let abandoned = try await login(journey)
            let registration = try await login(journey)
            #expect(registration.types == ["TextOutputCallback", "HiddenValueCallback", "ConfirmationCallback"])
            #expect(registration.output("value", of: 1) != abandoned.output("value", of: 1))
            let generator = try Generator(try #require(registration.output("value", of: 1)?.string))
            let step = try await journey.answer(registration)
            // A login without an answer changes nothing either.
            #expect(try await login(journey).types == ["PasswordCallback"])
            _ = try await journey.answer(step, ["IDToken1": generator.code(journey.clock.now)]).token
        }
    }

    @Test func `After ten wrong codes no code is accepted for ten minutes`() async throws {
        try await JourneyClient.with({ $0.lifetimes.journey = 1000 }) { journey in
            let registration = try await login(journey)
            let generator = try Generator(try #require(registration.output("value", of: 1)?.string))
            var step = try await journey.answer(registration)
            let right = generator.code(journey.clock.now)
            let wrong: JsonValue = right == "000000" ? "000001" : "000000"
            for _ in 0..<10 { step = try await journey.answer(step, ["IDToken1": wrong]) }
            let locked = try await journey.answer(step, ["IDToken1": right])
            locked.expectRefusal(401, "User Locked Out.", ["errorCode": "112", "failureUrl": ""])
            journey.clock.advance(601)
            let next = try await login(journey)
            _ = try await journey.answer(next, ["IDToken1": generator.code(journey.clock.now)]).token
        }
    }

    @Test func `A HOTP generator can be up to ten codes ahead, and a failure has its reason`() async throws {
        let tree = """
            {"start": "ask", "nodes": {
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "otp", "false": "failure"}},
              "otp": {"type": "otp", "next": {"true": "success", "false": "failure", "not-registered": "register"}},
              "register": {"type": "register-otp", "kind": "hotp", "digits": 8, "algorithm": "SHA256", "next": "otp"}
            }}
            """
        try await JourneyClient.withTree(tree) { journey in
            func enter(_ code: String) async throws -> JourneyResponse {
                let login = try await journey.start("Test")
                let step = try await journey.answer(login, ["IDToken1": "alice", "IDToken2": "wonderland"])
                return try await journey.answer(step, ["IDToken1": .string(code)])
            }
            let login = try await journey.start("Test")
            let registration = try await journey.answer(login, ["IDToken1": "alice", "IDToken2": "wonderland"])
            let uri = try #require(registration.output("value", of: 1)?.string)
            #expect(uri.hasPrefix("otpauth://hotp/") && uri.hasSuffix("&counter=0"))
            #expect(try await journey.answer(registration).types == ["PasswordCallback"])
            let password = try Generator(uri).password
            _ = try await enter(password.code(10)).token
            let problem = "The one-time password is wrong, has expired, or was used before."
            let detail: [String: JsonValue] = ["failureUrl": "", "problem": .string(problem)]
            try await enter(password.code(10)).expectRefusal(401, "Login failure", detail)
            try await enter(password.code(22)).expectRefusal(401, "Login failure", detail)
            _ = try await enter(password.code(21)).token
        }
    }
}
