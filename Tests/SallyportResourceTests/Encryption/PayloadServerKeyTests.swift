import Crypto
import CryptoExtras
import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct PayloadServerKeyTests {
    @Test(arguments: [KeyAgreementCurve.x25519, .p256])
    func `A key is parsed from a JSON Web Key, a set of keys and PEM`(curve: KeyAgreementCurve) throws {
        let key = try PayloadKey.generate(on: curve)
        let expected = try PayloadServerKey([key.publicKey])
        #expect(expected.keys.first?.keyID == (try key.thumbprint()))
        let json = String(decoding: try JSONEncoder.ordered.encode(key.publicKey), as: UTF8.self)
        #expect(try PayloadServerKey(parsing: json) == expected)
        let other = String(decoding: try JSONEncoder.ordered.encode(PayloadKey.generate().publicKey), as: UTF8.self)
        let both = try PayloadServerKey(parsing: "{\"keys\": [\(json), \(other)]}")
        #expect(both.keys.count == 2)
        #expect(both.keys.first == expected.keys.first)

        let x = try #require(key.members["x"]?.string.flatMap { Base64Url.decode($0) })
        let pem =
            switch curve {
            case .x25519: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: x).pemRepresentation
            default:
                try P256.KeyAgreement.PublicKey(
                    rawRepresentation: x + #require(key.members["y"]?.string.flatMap { Base64Url.decode($0) })
                ).pemRepresentation
            }
        #expect(try PayloadServerKey(parsing: pem) == expected)
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"keys\": []}", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        #"{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
        #"{"kty":"OKP","crv":"X25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
        #"{"kty":"OKP","crv":"X25519","x":"AAAA"}"#, #"{"kty":"oct","k":"AAAA"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#, #"{"keys":["AAAA"]}"#,
    ])
    func `A text that is no usable key is refused with the reason`(text: String) {
        let error = #expect(throws: PayloadEncryptionError.self) { try PayloadServerKey(parsing: text) }
        guard case .invalidKey(let reason)? = error else { return }
        #expect(!reason.isEmpty)
    }

    @Test func `A key on Ed25519 in PEM is refused, although it has the format of X25519`() throws {
        let pem = Curve25519.Signing.PrivateKey().publicKey.pemRepresentation
        #expect(throws: PayloadEncryptionError.invalidKey("the PEM contains no public key on X25519 or P-256")) {
            try PayloadServerKey(parsing: pem)
        }
    }

    @Test func `A set of keys with a member that is no key is refused`() throws {
        let key = String(decoding: try JSONEncoder.ordered.encode(PayloadKey.generate().publicKey), as: UTF8.self)
        #expect(throws: PayloadEncryptionError.invalidKey("a member of the set is not a JSON Web Key")) {
            try PayloadServerKey(parsing: "{\"keys\": [\(key), 7]}")
        }
    }

    @Test(arguments: [KeyAgreementCurve.x25519, .p256])
    func `The private key of the server is refused, alone and in a set`(curve: KeyAgreementCurve) throws {
        let key = try PayloadKey.generate(on: curve)
        let text = String(decoding: try JSONEncoder.ordered.encode(key), as: UTF8.self)
        let secret = try #require(key.members["d"]?.string)
        for text in [text, "{\"keys\": [\(text)]}"] {
            let error = #expect(throws: PayloadEncryptionError.self) { try PayloadServerKey(parsing: text) }
            #expect(error?.description.contains("it contains the private key (d)") == true)
            #expect(error?.description.contains(secret) == false)
        }
    }

    @Test func `P-384 and no key at all are refused`() throws {
        let key = try JsonWebKey.generate(.ecdhEs, curve: .p384)
        #expect(throws: PayloadEncryptionError.invalidKey("The key is not on X25519 or P-256.")) {
            try PayloadServerKey([key.publicKey])
        }
        #expect(throws: PayloadEncryptionError.invalidKey("there is no key")) { try PayloadServerKey([]) }
    }
}
