import Crypto
import Foundation
import TestSupport
import Testing

@testable import SallyportJOSE

@Suite(.concurrencyLimited) struct KeyAgreementTests {
    private static let aliceX25519: [String: JsonValue] = [
        "kty": "OKP", "crv": "X25519", "x": "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo",
        "d": "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo",
    ]

    private func bytes(_ hexadecimal: String) -> Data {
        Data(
            stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
                UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
            }
        )
    }

    private func bytes(of key: SymmetricKey) -> Data { key.withUnsafeBytes { Data($0) } }

    // MARK: Concat KDF

    @Test func `A message with the header of RFC 7518, appendix C, has its content encryption key`() throws {
        let header: [String: JsonValue] = [
            "alg": "ECDH-ES", "enc": "A128GCM", "apu": "QWxpY2U", "apv": "Qm9i",
            "epk": [
                "kty": "EC", "crv": "P-256",
                "x": "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0", "y": "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
            ],
        ]
        let bob = JsonWebKey(members: [
            "kty": "EC", "crv": "P-256",
            "x": "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ", "y": "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
            "d": "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw",
        ])
        let management = KeyManagement(algorithm: .ecdhEs, encryption: .a128gcm, header: header)
        #expect(
            bytes(of: try management.contentKey(unwrapping: Data(), with: bob))
                == Base64Url.decode("VqqN6vgjbSBcIijNcacQGg")
        )
        let agreement = try KeyAgreement(
            ephemeralKey: JsonWebKey(members: #require(header["epk"]?.object)),
            privateKey: bob
        )
        let key = agreement.deriveKey(
            algorithm: "A128GCM",
            partyU: Data("Alice".utf8),
            partyV: Data("Bob".utf8),
            byteCount: 16
        )
        #expect(bytes(of: key) == Base64Url.decode("VqqN6vgjbSBcIijNcacQGg"))
    }

    @Test func `Concat KDF derives the key of RFC 7518, appendix C, from its shared secret`() {
        let secret: [UInt8] = [
            158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156,
            251, 49, 110, 163, 218, 128, 106, 72, 246, 218, 167, 121, 140, 254, 144, 196,
        ]
        let key = ConcatKDF.deriveKey(
            from: secret,
            algorithm: "A128GCM",
            partyU: Data("Alice".utf8),
            partyV: Data("Bob".utf8),
            byteCount: 16
        )
        #expect(bytes(of: key) == Data([86, 170, 141, 234, 248, 35, 109, 32, 92, 34, 40, 205, 113, 167, 16, 26]))
    }

    @Test func `A derived key longer than a hash consists of several hashes and depends on each input`() {
        func key(_ algorithm: String = "a", _ partyU: String = "u", _ partyV: String = "v", count: Int = 64) -> Data {
            let key = ConcatKDF.deriveKey(
                from: Data([1, 2, 3]),
                algorithm: algorithm,
                partyU: Data(partyU.utf8),
                partyV: Data(partyV.utf8),
                byteCount: count
            )
            return bytes(of: key)
        }
        let information = Data([0, 0, 0, 1, 0x61, 0, 0, 0, 1, 0x75, 0, 0, 0, 1, 0x76, 0, 0, 2, 0])
        let rounds = [1, 2].map { Data(SHA256.hash(data: Data([0, 0, 0, $0, 1, 2, 3]) + information)) }
        #expect(key() == rounds[0] + rounds[1])
        #expect(key(count: 33).count == 33)
        let others = [key(), key("b"), key("a", "v", "u"), key("a", "uv", ""), key("au", "", "v"), key(count: 63)]
        #expect(Set(others.map { $0.prefix(32) }).count == others.count)
    }

    // MARK: X25519

    @Test(arguments: [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
        ),
    ])
    func `X25519 computes the secrets of RFC 7748, section 5.2`(_ number: String, _ point: String, _ secret: String)
        throws
    {
        let privateKey = JsonWebKey(members: KeyMembers.curve(.x25519, Data(count: 32), bytes(number)))
        let publicKey = JsonWebKey(members: KeyMembers.curve(.x25519, bytes(point), Data()))
        #expect(try privateKey.sharedSecret(with: publicKey).withUnsafeBytes { Data($0) } == bytes(secret))
    }
    @Test func `X25519 computes the secret of RFC 8037, appendix A.6`() throws {
        let bob = JsonWebKey(members: [
            "kty": "OKP", "crv": "X25519", "x": "3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08",
        ])
        let secret = try JsonWebKey(members: Self.aliceX25519).sharedSecret(with: bob).withUnsafeBytes { Data($0) }
        #expect(secret == bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"))
    }

    @Test(arguments: [0, 1])
    func `A public key of small order is refused`(_ firstByte: UInt8) {
        let point = Data([firstByte]) + Data(count: 31)
        let other = JsonWebKey(members: KeyMembers.curve(.x25519, point, Data()))
        let privateKey = JsonWebKey(members: Self.aliceX25519)
        expectError(\JoseError.reason, .key) { try KeyAgreement(ephemeralKey: other, privateKey: privateKey) }
        expectError(\JoseError.reason, .key) { try KeyAgreement(with: other) }
    }

    // MARK: Agreement

    @Test(arguments: KeyAgreementCurve.allCases)
    func `A generated key is on its curve, and both sides derive the same key with it`(_ curve: KeyAgreementCurve)
        throws
    {
        let privateKey = try JsonWebKey.generate(.ecdhEs, curve: curve, keyID: "sealing")
        #expect(privateKey.members["crv"] == .string(curve.rawValue))
        #expect(privateKey.keyType == (curve == .x25519 ? "OKP" : "EC"))
        #expect(privateKey.keyID == "sealing")
        let sender = try KeyAgreement(with: privateKey.publicKey)
        #expect(sender.ephemeralKey.members["d"] == nil)
        let recipient = try KeyAgreement(ephemeralKey: sender.ephemeralKey, privateKey: privateKey)
        #expect(sender.deriveKey(algorithm: "x") == recipient.deriveKey(algorithm: "x"))
        #expect(sender.deriveKey(algorithm: "x") != recipient.deriveKey(algorithm: "y"))
        #expect(sender.deriveKey(algorithm: "x").bitCount == 256)
        #expect(try KeyAgreement(with: privateKey.publicKey).ephemeralKey != sender.ephemeralKey)
        let other = try JsonWebKey.generate(.ecdhEs, curve: curve)
        #expect(try KeyAgreement(ephemeralKey: other, privateKey: privateKey).ephemeralKey == other.publicKey)
        let wrong = try KeyAgreement(ephemeralKey: sender.ephemeralKey, privateKey: other)
        #expect(wrong.deriveKey(algorithm: "x") != sender.deriveKey(algorithm: "x"))
    }

    @Test(arguments: KeyAgreementCurve.allCases)
    func `A key agreement derives the content encryption key of a message encrypted with ECDH-ES`(
        _ curve: KeyAgreementCurve
    ) throws {
        let privateKey = try JsonWebKey.generate(.ecdhEs, curve: curve)
        let plaintext = Data("hello".utf8)
        let text = try JsonWebEncryption.encrypt(plaintext, to: privateKey.publicKey, algorithm: .ecdhEs)
        let message = try JsonWebEncryption(parsing: text)
        #expect(try message.decrypt(with: privateKey) == plaintext)
        let agreement = try KeyAgreement(
            ephemeralKey: JsonWebKey(members: #require(message.header["epk"]?.object)),
            privateKey: privateKey
        )
        let parts = try CompactText(text, parts: 5, kind: "message")
        let content = EncryptedContent(
            nonce: parts.parts[2],
            ciphertext: parts.parts[3],
            tag: parts.parts[4],
            authenticated: Data(parts.texts[0].utf8)
        )
        #expect(
            try ContentEncryption.a256gcm.open(content, with: agreement.deriveKey(algorithm: "A256GCM")) == plaintext
        )
    }

    @Test(arguments: [KeyManagementAlgorithm.ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw])
    func `A generated X25519 key decrypts messages with a wrapped content encryption key`(
        _ algorithm: KeyManagementAlgorithm
    ) throws {
        let privateKey = try JsonWebKey.generate(algorithm, curve: .x25519)
        let text = try JsonWebEncryption.encrypt(Data("hello".utf8), to: privateKey.publicKey, algorithm: algorithm)
        #expect(try JsonWebEncryption(parsing: text).decrypt(with: privateKey) == Data("hello".utf8))
    }

    @Test(
        arguments: [
            (["use": "sig"], .key), (["key_ops": ["decrypt"]], .key), (["alg": "ECDH-ES+A128KW"], .key),
            (["crv": "Ed25519"], .key), (["crv": "P-256"], .key), (["kty": "oct"], .key), (["x": "AAAA"], .malformed),
        ] as [([String: JsonValue], JoseError.Reason)]
    )
    func `A recipient's key that is not suitable for key agreement is refused`(
        _ members: [String: JsonValue],
        _ reason: JoseError.Reason
    ) throws {
        let privateKey = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
        let changed = JsonWebKey(members: privateKey.publicKey.members.merging(members) { $1 })
        expectError(\JoseError.reason, reason) { try KeyAgreement(with: changed) }
    }

    @Test func `An ephemeral key on another curve and a public key in place of the private key are refused`()
        throws
    {
        let privateKey = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
        let other = try JsonWebKey.generate(.ecdhEs, curve: .p256)
        #expect(throws: JoseError(.key, "The keys are on different curves.")) {
            try KeyAgreement(ephemeralKey: other.publicKey, privateKey: privateKey)
        }
        expectError(\JoseError.reason, .malformed) {
            try KeyAgreement(ephemeralKey: privateKey.publicKey, privateKey: privateKey.publicKey)
        }
    }

    @Test(arguments: [["use": "sig"], ["key_ops": ["sign"]], ["alg": "ES256"]] as [[String: JsonValue]])
    func `A private key for another use is refused`(_ members: [String: JsonValue]) throws {
        let privateKey = try JsonWebKey.generate(.ecdhEs)
        let ephemeralKey = try KeyAgreement(with: privateKey.publicKey).ephemeralKey
        let changed = JsonWebKey(members: privateKey.members.merging(members) { $1 })
        expectError(\JoseError.reason, .key) { try KeyAgreement(ephemeralKey: ephemeralKey, privateKey: changed) }
    }

    @Test func `A point that is not on the curve is refused`() throws {
        let privateKey = try JsonWebKey.generate(.ecdhEs)
        let y = try #require(privateKey.members["y"]?.string.flatMap { Base64Url.decode($0) })
        let changed = Base64Url.encode(Data([y[0] ^ 1]) + y.dropFirst())
        let other = JsonWebKey(members: privateKey.publicKey.members.merging(["y": .string(changed)]) { $1 })
        expectError(\JoseError.reason, .key) { try KeyAgreement(ephemeralKey: other, privateKey: privateKey) }
    }
}
