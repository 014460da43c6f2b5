import Foundation
import TestSupport
import Testing

@testable import SallyportJOSE

@Suite(.concurrencyLimited) struct JsonWebKeyTests {
    @Test func `Thumbprints equal those of RFC 7638 and RFC 8037`() throws {
        let keys = try JsonWebKeySet(parsing: Data(KeySetVector.publicKeys.utf8)).keys
        #expect(keys.map(\.keyID) == ["1", "2011-04-29"])
        #expect(try keys[1].thumbprint() == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        let edwards = try #require(SignatureVector.rfc.first { $0.name == "RFC 8037, A.4" }).jsonWebKey
        #expect(try edwards.thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func `The public parts of RFC 7517's private keys equal its public keys`() throws {
        let secret = try JsonWebKeySet(parsing: Data(KeySetVector.privateKeys.utf8))
        let open = try JsonWebKeySet(parsing: Data(KeySetVector.publicKeys.utf8))
        #expect(secret.keys.map(\.publicKey) == open.keys)
        #expect(try secret.keys.map { try $0.thumbprint() } == open.keys.map { try $0.thumbprint() })
    }

    @Test func `A public key permits the counterparts of the private key's operations`() {
        let key = JsonWebKey(members: ["kty": "EC", "d": "AAAA", "key_ops": ["sign", "decrypt", "other"]])
        #expect(key.publicKey.members == ["kty": "EC", "key_ops": ["verify", "encrypt"]])
    }

    @Test func `A key set omits unsupported keys, also when it is encoded`() throws {
        let text = #"""
            {"keys": [
                {"kty": "AKP", "alg": "ML-DSA-44"}, 1, {"kid": "no kind"}, {"kty": "RSA", "alg": "no such", "kid": "a"},
                {"kty": "oct", "kid": "b", "kid": "c"}, [], {"kty": "EC", "kid": "d", "x5c": ["abc"]}
            ], "more": null}
            """#
        let keys = try JsonWebKeySet(parsing: Data(text.utf8))
        #expect(keys.keys.map(\.keyID) == ["a", "c", "d"])
        let again = try JsonWebKeySet(parsing: JSONEncoder().encode(keys))
        #expect(again == keys)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"keys": {}}"#, #"{"keys": [}"#, TextArgument(String(repeating: "[", count: 100_000)),
    ])
    func `Text that is not a key set is refused`(_ argument: TextArgument) {
        expectError(\JoseError.reason, .malformed) { try JsonWebKeySet(parsing: Data(argument.text.utf8)) }
    }

    @Test(
        arguments: [
            ("AA==", "The key's x is padded (=), which base64url does not allow."),
            ("+/AA", "The key's x has the alphabet of base64 (+ and /) instead of that of base64url (- and _)."),
            (
                "+A==",
                "The key's x is padded (=) and has the alphabet of base64 (+ and /), which base64url does not allow."
            ),
            ("A A", "The key's x is not base64url."), ("", "The key's x is empty."),
            (1, "The key has no string named x."), (nil, "The key has no string named x."),
        ] as [(JsonValue?, String)]
    )
    func `A coordinate that is not base64url is refused with the reason`(_ x: JsonValue?, _ problem: String) throws {
        var members: [String: JsonValue] = ["kty": "OKP", "crv": "Ed25519"]
        members["x"] = x
        let error = #expect(throws: JoseError.self) { try JsonWebKey(members: members).publicPoint() }
        #expect(error == JoseError(.malformed, problem))
    }

    @Test func `A key set may begin with a byte order mark, and members of keys that are null are absent`() throws {
        let text = "\u{FEFF}" + #"{"keys": [{"kty": "EC", "kid": "a", "use": null, "alg": null}]}"#
        let keys = try JsonWebKeySet(parsing: Data(text.utf8)).keys
        #expect(keys == [JsonWebKey(members: ["kty": "EC", "kid": "a"])])
    }

    @Test func `Key sets that are too long or have too many keys are refused`() {
        let many = #"{"keys":["# + [String](repeating: #"{"kty":"oct"}"#, count: 257).joined(separator: ",") + "]}"
        let long = #"{"keys":[],"x":""# + String(repeating: "x", count: 1024 * 1024) + #""}"#
        for text in [many, long] {
            #expect {
                try JsonWebKeySet(parsing: Data(text.utf8))
            } throws: { ($0 as? JoseError)?.reason == .tooLarge }
        }
    }
}
