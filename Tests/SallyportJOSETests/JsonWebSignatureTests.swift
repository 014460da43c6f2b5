import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct JsonWebSignatureTests {
    private static let wrongSignature = JoseError(.signature, "The signature was not made with the key.")

    /// Returns the reason for which a signature is refused, or `nil` if it is valid.
    private func reason(
        _ text: String,
        key: JsonWebKey,
        allowing algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    ) async -> JoseError.Reason? {
        do throws(JoseError) {
            try JsonWebSignature(parsing: text).verify(with: key, allowing: algorithms)
            return nil
        } catch {
            return error.reason
        }
    }

    private func text(header: String, payload: String = #"{"sub":"alice"}"#, signature: String = "AAAA") -> String {
        [Data(header.utf8), Data(payload.utf8)].map { Base64Url.encode($0) }.joined(separator: ".") + "." + signature
    }

    @Test(arguments: SignatureVector.rfc + SignatureVector.joserfc)
    func `A signature of another implementation is valid until any part changes`(_ vector: SignatureVector)
        async throws
    {
        let signature = try JsonWebSignature(parsing: vector.text)
        let algorithm = try #require(signature.algorithm)
        let key = try vector.jsonWebKey
        let verifying = key.keyType == "oct" ? key : key.publicKey
        try signature.verify(with: verifying, allowing: [algorithm])
        let other = Set(SignatureAlgorithm.allCases).subtracting([algorithm])
        #expect(await reason(vector.text, key: verifying, allowing: other) == .algorithm)
        let parts = vector.text.split(separator: ".")
        let changed = "\(parts[0]).\(Base64Url.encode(signature.payload + [0x20])).\(parts[2])"
        #expect(await reason(changed, key: verifying) == .signature)
        let shortened = "\(parts[0]).\(parts[1])."
        #expect(await reason(shortened, key: verifying) == .signature)
    }

    @Test(arguments: SignatureVector.rfc)
    func `Created signatures are valid, and deterministic ones equal those of the RFCs`(
        _ vector: SignatureVector
    ) async throws {
        let signature = try JsonWebSignature(parsing: vector.text)
        let algorithm = try #require(signature.algorithm)
        let key = try SigningKey(vector.jsonWebKey, algorithm: algorithm)
        let text = try JsonWebSignature.sign(payload: signature.payload, header: signature.header, with: key)
        try JsonWebSignature(parsing: text).verify(with: #require(key.privateJsonWebKey), allowing: [algorithm])
        guard [.hs256, .rs256, .edDSA].contains(algorithm) else { return }
        // Headers with line breaks or another order of members are encoded differently, which changes the signature.
        let isSameHeader = text.split(separator: ".")[0] == vector.text.split(separator: ".")[0]
        #expect(isSameHeader || signature.header.count > 1)
        guard isSameHeader else { return }
        #expect(text == vector.text)
    }

    @Test(arguments: [#"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"HS1"}"#, #"{"alg":256}"#, #"{"typ":"JWT"}"#])
    func `A signature with an unsupported algorithm or none is refused`(_ header: String) async throws {
        let key = try #require(SigningKey.generate(.hs256).privateJsonWebKey)
        #expect(await reason(text(header: header, signature: ""), key: key) == .algorithm)
    }

    @Test(arguments: SignatureVector.rfc + SignatureVector.joserfc)
    func `A shared secret verifies signatures by HS256 only`(_ vector: SignatureVector) throws {
        let signature = try JsonWebSignature(parsing: vector.text)
        let secret = try vector.jsonWebKey.members["k"]?.string.flatMap { Base64Url.decode($0) }
        guard signature.algorithm == .hs256, let secret else {
            expectError(\JoseError.reason, .algorithm) {
                try signature.verify(sharedSecret: secret ?? Data("key".utf8))
            }
            return
        }
        try signature.verify(sharedSecret: secret)
        expectError(\JoseError.reason, .signature) { try signature.verify(sharedSecret: secret + [0x01]) }
    }

    @Test(arguments: [1, 16, 31, 32, 64])
    func `A shared secret may have any length`(_ length: Int) throws {
        let secret = Data(repeating: 0x5A, count: length)
        let text = try JsonWebSignature.sign(["sub": "alice"], sharedSecret: secret)
        let signature = try JsonWebSignature(parsing: text)
        try signature.verify(sharedSecret: secret)
        #expect(signature.header == ["alg": "HS256", "typ": "JWT"])
        #expect(try signature.claims() == ["sub": "alice"])
        expectError(\JoseError.reason, .signature) { try signature.verify(sharedSecret: secret.dropLast() + [0x5B]) }
    }

    @Test func `A shared secret does not verify a message that requires extensions`() throws {
        let text = text(header: #"{"alg":"HS256","crit":["exp"],"exp":1}"#)
        expectError(\JoseError.reason, .critical) {
            try JsonWebSignature(parsing: text).verify(sharedSecret: Data("key".utf8))
        }
    }

    @Test func `An RSA public key is not accepted as an HMAC secret`() async throws {
        let vector = try #require(SignatureVector.rfc.first { $0.name == "RFC 7515, A.2" })
        let key = try vector.jsonWebKey.publicKey
        let modulus = try #require(key.members["n"]?.string.flatMap { Base64Url.decode($0) })
        let forger = try SigningKey(secret: modulus, algorithm: .hs256)
        let forged = try JsonWebSignature.sign(["sub": "mallory"], with: forger)
        #expect(await reason(forged, key: key) == .key)
        let pem = Data("-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----\n".utf8)
        expectError(\JoseError.reason, .key) { try SigningKey(secret: pem) }
    }

    @Test(
        arguments: [
            (["use": "enc"], JoseError.Reason.key),
            (["key_ops": ["encrypt"]], .key),
            (["key_ops": "verify"], .key),
            (["alg": "HS512"], .key),
            (["alg": 1], .key),
            (["kid": "two"], .key),
            (["kty": "RSA"], .key),
            (["kty": "none"], .key),
            (["k": "AAAA"], .key),
            (["k": "not base64url!"], .malformed),
            (["k": 1], .malformed),
        ] as [([String: JsonValue], JoseError.Reason)]
    )
    func `A key for another use, operation or algorithm does not verify a signature`(
        _ members: [String: JsonValue],
        _ expected: JoseError.Reason
    ) async throws {
        let key = try SigningKey.generate(.hs256, keyID: "one")
        let text = try JsonWebSignature.sign(["sub": "alice"], with: key)
        let privateKey = try #require(key.privateJsonWebKey)
        #expect(await reason(text, key: privateKey) == nil)
        let changed = privateKey.members.merging(members) { $1 }
        #expect(await reason(text, key: JsonWebKey(members: changed)) == expected)
    }

    @Test(arguments: [
        #"{"alg":"HS256","crit":["exp"],"exp":1}"#, #"{"alg":"HS256","crit":[]}"#, #"{"alg":"HS256","b64":false}"#,
    ])
    func `A header that requires extensions is refused`(_ header: String) async throws {
        let key = try SigningKey.generate(.hs256)
        let privateKey = try #require(key.privateJsonWebKey)
        #expect(await reason(text(header: header), key: privateKey) == .critical)
        let members = try JSONDecoder().decode([String: JsonValue].self, from: Data(header.utf8))
        expectError(\JoseError.reason, .critical) {
            try JsonWebSignature.sign([:], header: members, with: key)
        }
    }

    @Test(arguments: [
        "", ".", "..", "a.b", "e30.e30", "e30.e30.AAAA.AAAA", "e30=.e30.AAAA", "e30.e30.AAA=", " e30.e30.AAAA",
        "W10.e30.AAAA",
        "bm8.e30.AAAA", "eyJhbGciOiJIUzI1NiIsImFsZyI6Im5vbmUifQ.e30.AAAA",
        TextArgument(String(repeating: "A", count: 300_000)),
    ])
    func `Text that is not a compact serialization is refused`(_ argument: TextArgument) {
        let reason: JoseError.Reason = argument.text.count > 200_000 ? .tooLarge : .malformed
        expectError(\JoseError.reason, reason) { try JsonWebSignature(parsing: argument.text) }
    }

    @Test(arguments: ["[]", "{", #"{"a":1,"a":2}"#, "{} {}", "", "null"])
    func `Claims that are not a JSON object with unique members are refused`(_ payload: String) throws {
        let signature = try JsonWebSignature(parsing: text(header: #"{"alg":"HS256"}"#, payload: payload))
        expectError(\JoseError.reason, .malformed) { try signature.claims() }
    }

    @Test func `An RSA key that is too small or too large is refused`() async throws {
        let modulus = Base64Url.encode(Data([0xC1] + [UInt8](repeating: 0x55, count: 126) + [0x01]))
        let key = JsonWebKey(members: ["kty": "RSA", "n": .string(modulus), "e": "AQAB"])
        #expect(await reason(text(header: #"{"alg":"RS256"}"#), key: key) == .key)
        let huge = Base64Url.encode(Data([0xC1] + [UInt8](repeating: 0x55, count: 2000) + [0x01]))
        let hugeKey = JsonWebKey(members: ["kty": "RSA", "n": .string(huge), "e": "AQAB"])
        #expect(await reason(text(header: #"{"alg":"RS256"}"#), key: hugeKey) == .tooLarge)
    }

    @Test(arguments: [
        (SignatureAlgorithm.es256, "P-384"), (.es256, "P-521"), (.es384, "P-256"), (.edDSA, "P-256"),
        (.es256, "Ed25519"),
    ])
    func `A key on another curve is refused`(_ algorithm: SignatureAlgorithm, _ curve: String) async throws {
        let key = try SigningKey.generate(algorithm)
        let text = try JsonWebSignature.sign([:], with: key)
        var members = try #require(key.publicJsonWebKey).members
        members["crv"] = .string(curve)
        #expect(await reason(text, key: JsonWebKey(members: members)) == .key)
    }

    @Test func `A point that is not on the curve is refused`() async throws {
        let key = try SigningKey.generate(.es256)
        let text = try JsonWebSignature.sign([:], with: key)
        var members = try #require(key.publicJsonWebKey).members
        members["y"] = members["x"]
        #expect(await reason(text, key: JsonWebKey(members: members)) == .key)
    }
}
