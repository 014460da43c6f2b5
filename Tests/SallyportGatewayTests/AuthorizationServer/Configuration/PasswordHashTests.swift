import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PasswordHashTests {
    @Test func `A hash matches only its password, also when it is parsed from text`() throws {
        let hash = try PasswordHash(hashing: "wönderland", cost: 4)
        #expect(hash.text.hasPrefix("scrypt$ln=4,r=8,p=1$"))
        for hash in [hash, try PasswordHash(hash.text), PasswordHash(hashingRandom: "wönderland")] {
            #expect(hash.matches("wönderland"))
            #expect(!hash.matches("wonderland"))
            #expect(!hash.matches(""))
        }
        #expect(try PasswordHash(hashing: "wönderland", cost: 4) != hash)
    }

    @Test func `A hash matches the test vector of RFC 7914`() throws {
        // Section 12: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1, 64).
        let key = """
            7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
            """
        let bytes = stride(from: 0, to: key.count, by: 2).map { offset in
            let start = key.index(key.startIndex, offsetBy: offset)
            return UInt8(key[start..<key.index(start, offsetBy: 2)], radix: 16)!
        }
        let salt = Base64Url.encode(Data("SodiumChloride".utf8))
        let hash = try PasswordHash("scrypt$ln=14,r=8,p=1$\(salt)$\(Base64Url.encode(Data(bytes)))")
        #expect(hash.matches("pleaseletmein"))
    }

    @Test(
        arguments: [
            "", "wonderland", "scrypt$$$", "scrypt$ln=4,r=8,p=1$AAAAAAAAAAA$", "sha256$AAAAAAAAAAA$AAAA",
            "scrypt$ln=17,r=8,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "scrypt$ln=4,r=99,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "scrypt$ln=0,r=8,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "bcrypt$ln=4,r=8,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
        ]
    )
    func `Text that is not a hash or has excessive costs is refused`(text: String) {
        let error = expectError(\GatewayError.kind, "invalidIdentity") { try PasswordHash(text) }
        #expect(error?.description.contains("wonderland") == false)
    }

    @Test(arguments: [1, 2, 11])
    func `A password can be hashed with other costs`(cost: Int) throws {
        #expect(try PasswordHash(hashing: "a", cost: cost).matches("a"))
    }

    @Test func `A password that is too long and a cost that is out of range are refused`() {
        expectError(\GatewayError.kind, "invalidIdentity") {
            try PasswordHash(hashing: String(repeating: "a", count: 1025), cost: 4)
        }
        expectError(\GatewayError.kind, "invalidIdentity") { try PasswordHash(hashing: "a", cost: 17) }
        expectError(\GatewayError.kind, "invalidIdentity") { try PasswordHash(hashing: "a", cost: 0) }
    }
}
