import Foundation
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct OneTimePasswordAccountTests {
    /// The secrets of RFC 6238, appendix B: the digits 1 to 9 and 0, repeated.
    private static let secrets = [
        "SHA1": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        "SHA256": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
        "SHA512":
            "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            + "GEZDGNBVGY3TQOJQGEZDGNA",
    ]

    @Test func `The passwords are those of RFC 4226, appendix D`() throws {
        let account = try OneTimePasswordAccount("otpauth://hotp/alice?secret=\(Self.secrets["SHA1"] ?? "")")
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect((0..<10).map { account.password($0) } == expected)
    }

    @Test(
        arguments: [
            ("SHA1", ["94287082", "07081804", "14050471", "89005924", "69279037", "65353130"]),
            ("SHA256", ["46119246", "68084774", "67062674", "91819424", "90698825", "77737706"]),
            ("SHA512", ["90693936", "25091201", "99943326", "93441116", "38618901", "47863826"]),
        ]
    )
    func `The passwords are those of RFC 6238, appendix B`(_ algorithm: String, _ expected: [String]) throws {
        let secret = try #require(Self.secrets[algorithm])
        let account = try OneTimePasswordAccount(
            "otpauth://totp/alice?secret=\(secret)&algorithm=\(algorithm)&digits=8"
        )
        let times: [TimeInterval] = [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000]
        let passwords = times.map { time in
            OneTimePassword(of: account, period: 30, at: Date(timeIntervalSince1970: time)).text
        }
        #expect(passwords == expected)
    }

    @Test(
        arguments: [
            ("", ""), ("MY======", "f"), ("MZXQ====", "fo"), ("MZXW6===", "foo"), ("MZXW6YQ=", "foob"),
            ("MZXW6YTB", "fooba"), ("MZXW6YTBOI======", "foobar"), ("mzxw 6ytb-oi", "foobar"),
        ]
    )
    func `Base32 is decoded as in RFC 4648, section 10`(_ text: String, _ expected: String) {
        #expect(Base32.decode(text) == Data(expected.utf8))
    }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "MZ1W", "MZ=W", "MZXW8YTB", "ſZXW6YTB"])
    func `Text that is not base32 is refused`(_ text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test func `A URI states the algorithm, digits, period, issuer and account`() throws {
        let account = try OneTimePasswordAccount(
            "otpauth://totp/Example:alice%40example.com"
                + "?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example%20Inc&algorithm=sha256&digits=8&period=60"
        )
        #expect(account.issuer == "Example Inc")
        #expect(account.account == "alice@example.com")
        #expect(account.algorithm == .sha256)
        #expect(account.digits == 8)
        #expect(account.factor == .time(period: 60))
        #expect("\(account)" == "alice@example.com at Example Inc")
    }

    @Test func `A URI without options has the defaults of the format`() throws {
        let time = try OneTimePasswordAccount("otpauth://totp/alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        #expect(time.algorithm == .sha1)
        #expect(time.digits == 6)
        #expect(time.factor == .time(period: 30))
        #expect(time.issuer.isEmpty)
        let counter = try OneTimePasswordAccount("otpauth://hotp/alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        #expect(counter.factor == .counter(0))
    }

    @Test func `The issuer of a combined URI is in base64`() throws {
        let uri = PushFixture().uri(
            "mfauth://hotp/Label:alice",
            ["secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "counter": "7"]
        )
        let account = try OneTimePasswordAccount(uri)
        #expect(account.issuer == "Example")
        #expect(account.factor == .counter(7))
    }

    @Test(
        arguments: [
            ("secret=1", "secret"), ("secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=MD5", "algorithm"),
            ("secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&digits=7", "digits"),
            ("secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&digits=six", "digits"),
            ("secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&period=0", "period"),
            ("secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&period=3601", "period"),
            ("secret=====", "secret"),
        ]
    )
    func `A parameter with an invalid value is refused`(_ query: String, _ name: String) {
        expectError(\MechanismError.reason, .invalidParameter(name)) {
            try OneTimePasswordAccount("otpauth://totp/alice?" + query)
        }
    }

    @Test func `A secret of less than 128 bits is refused`() throws {
        for secret in ["JBSWY3DPEHPK3PXP", "AA", String(repeating: "A", count: 24)] {
            let uri = "otpauth://totp/alice?secret=\(secret)"
            let error = expectError(\MechanismError.reason, .weakSecret) { try OneTimePasswordAccount(uri) }
            #expect(
                error?.description.contains("the minimum is 128") == true
                    && error?.description.contains(secret) == false
            )
        }
        #expect(
            try OneTimePasswordAccount("otpauth://totp/alice?secret=\(String(repeating: "A", count: 26))").digits == 6
        )
    }

    @Test func `An invalid counter is refused`() {
        for counter in ["-1", "one", "18446744073709551616"] {
            expectError(\MechanismError.reason, .invalidParameter("counter")) {
                try OneTimePasswordAccount(
                    "otpauth://hotp/alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&counter=\(counter)"
                )
            }
        }
    }

    @Test func `A URI without a secret, or of another type, is refused`() {
        expectError(\MechanismError.reason, .missingParameter("secret")) {
            try OneTimePasswordAccount("otpauth://totp/alice?issuer=Example")
        }
        for uri in ["otpauth://push/alice?secret=AA", "pushauth://push/alice?secret=AA", "mfauth://push/alice?s=AA"] {
            expectError(\MechanismError.reason, .unsupportedURI) { try OneTimePasswordAccount(uri) }
        }
    }
}
