import Crypto
import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SigningKeyTests {
    /// Two RSA keys for all tests, because generating them takes long.
    private static let rsa = Result { (try SigningKey.generate(.rs256), try SigningKey.generate(.ps256)) }

    private func keys(_ algorithm: SignatureAlgorithm) throws -> (SigningKey, SigningKey) {
        guard algorithm.rawValue.hasPrefix("RS") || algorithm.rawValue.hasPrefix("PS") else {
            return (try .generate(algorithm, keyID: "one"), try .generate(algorithm, keyID: "one"))
        }
        let (one, other) = try Self.rsa.get()
        return (try renamed(one, algorithm), try renamed(other, algorithm))
    }

    private func renamed(_ key: SigningKey, _ algorithm: SignatureAlgorithm) throws -> SigningKey {
        let members: [String: JsonValue] = ["alg": .string(algorithm.rawValue), "kid": "one"]
        return try SigningKey(JsonWebKey(members: #require(key.privateJsonWebKey).members.merging(members) { $1 }))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `A signature of an encoded and decoded key is valid for its public key only`(
        _ algorithm: SignatureAlgorithm
    ) async throws {
        let (key, other) = try keys(algorithm)
        let stored = try JSONDecoder().decode(SigningKey.self, from: JSONEncoder().encode(key))
        #expect(stored == key)
        let text = try JsonWebSignature.sign(["sub": "alice"], header: ["typ": "JWT"], with: stored)
        let signature = try JsonWebSignature(parsing: text)
        let verifying = try #require(key.publicJsonWebKey ?? key.privateJsonWebKey)
        try signature.verify(with: verifying, allowing: [algorithm])
        #expect(try signature.claims() == ["sub": "alice"])
        #expect(signature.header == ["typ": "JWT", "alg": .string(algorithm.rawValue), "kid": "one"])
        #expect(throws: JoseError(.signature, "The signature was not made with the key.")) {
            let verifying = try #require(other.publicJsonWebKey ?? other.privateJsonWebKey)
            try signature.verify(with: verifying, allowing: [algorithm])
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `The description and dump of a key contain no private members`(_ algorithm: SignatureAlgorithm) throws {
        let (key, _) = try keys(algorithm)
        let privateKey = try #require(key.privateJsonWebKey)
        var shown = "\(key) \(String(reflecting: key)) \(privateKey) \(String(reflecting: privateKey))"
        dump(key, to: &shown)
        dump(privateKey, to: &shown)
        for name in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            guard let secret = privateKey.members[name]?.string else { continue }
            #expect(!shown.contains(secret))
            #expect(key.publicJsonWebKey?.members[name] == nil)
        }
    }

    @Test(arguments: [
        (SignatureAlgorithm.rs256, PemVector.rsaPkcs8), (.ps512, PemVector.rsaPkcs1), (.es256, PemVector.p256Sec1),
        (.es256, PemVector.p256Pkcs8), (.es384, PemVector.p384Sec1), (.es512, PemVector.p521Sec1),
        (.edDSA, PemVector.ed25519),
    ])
    func `Private keys are parsed from each PEM format`(_ algorithm: SignatureAlgorithm, _ pem: PemVector) async throws
    {
        let key = try SigningKey(pem: pem.text, algorithm: algorithm, keyID: "pem")
        let text = try JsonWebSignature.sign([:], with: key)
        let verifying = try #require(key.publicJsonWebKey)
        try JsonWebSignature(parsing: text).verify(with: verifying, allowing: [algorithm])
        #expect(try SigningKey(#require(key.privateJsonWebKey)) == key)
    }

    @Test func `The same key in two PEM formats results in equal keys`() throws {
        #expect(
            try SigningKey(pem: PemVector.rsaPkcs8.text, algorithm: .rs256)
                == SigningKey(pem: PemVector.rsaPkcs1.text, algorithm: .rs256)
        )
        #expect(
            try SigningKey(pem: PemVector.p256Pkcs8.text, algorithm: .es256)
                == SigningKey(pem: PemVector.p256Sec1.text, algorithm: .es256)
        )
    }

    @Test(arguments: [
        (
            SignatureAlgorithm.hs256, PemVector.rsaPkcs8,
            "HS256 requires a symmetric key, for which there is no PEM format."
        ),
        (.rs256, PemVector.p256Sec1, "The PEM contains no private key for RS256 without a passphrase."),
        (.es384, PemVector.p256Sec1, "The PEM contains no private key for ES384 without a passphrase."),
        (.rs256, PemVector.smallRsa, "The PEM contains no private key for RS256 without a passphrase."),
        (.edDSA, PemVector.x25519, "The PEM contains no private key on Ed25519."),
        (
            .es256, PemVector(testDescription: "nothing", text: ""),
            "The PEM contains no private key for ES256 without a passphrase."
        ),
        (
            .es256, PemVector(testDescription: "a beginning", text: "-----BEGIN PRIVATE KEY-----"),
            "The PEM contains no private key for ES256 without a passphrase."
        ),
    ])
    func `A PEM with an unsuitable key is refused, and the error does not contain the key`(
        _ algorithm: SignatureAlgorithm,
        _ pem: PemVector,
        problem: String
    ) {
        #expect(throws: JoseError(.key, problem)) { try SigningKey(pem: pem.text, algorithm: algorithm) }
    }

    @Test func `An RSA key with the ROCA weakness is refused in JSON and PEM, private and public`() async throws {
        let weakness = JoseError(
            .key,
            """
            The RSA key has the ROCA weakness (CVE-2017-15361): others can compute its private key. \
            Generate a new key with other hardware or software.
            """
        )
        let key = try JSONDecoder().decode(JsonWebKey.self, from: Data(RocaVector.jsonWebKey.utf8))
        #expect(throws: weakness) { try SigningKey(key, algorithm: .rs256) }
        #expect(throws: weakness) { try SigningKey(pem: RocaVector.pem, algorithm: .ps256) }
        #expect(throws: weakness) { try JsonWebKey(pem: RocaVector.pem, algorithm: .rsaOaep256) }
        #expect(throws: weakness) {
            try JsonWebEncryption.encrypt(Data([1]), to: key.publicKey, algorithm: .rsaOaep256)
        }
        let signature = try JsonWebSignature(parsing: JsonWebSignature.sign([:], with: Self.rsa.get().0))
        #expect(throws: weakness) { try signature.verify(with: key.publicKey, allowing: [.rs256]) }
    }

    @Test func `RSA keys without the ROCA weakness are accepted`() throws {
        let (one, other) = try Self.rsa.get()
        let vectors = try SignatureVector.rfc.map { try $0.jsonWebKey }.filter { $0.keyType == "RSA" }
        #expect(!vectors.isEmpty)
        for key in [try #require(one.privateJsonWebKey), try #require(other.privateJsonWebKey)] + vectors {
            #expect(throws: Never.self) { try SigningKey(key) }
        }
    }

    @Test(arguments: [SignatureAlgorithm.hs256, .hs384, .hs512])
    func `An HMAC secret shorter than the hash is refused`(_ algorithm: SignatureAlgorithm) throws {
        let length = [.hs256: 32, .hs384: 48, .hs512: 64][algorithm] ?? 0
        expectError(\JoseError.reason, .key) {
            try SigningKey(secret: Data(count: length - 1), algorithm: algorithm)
        }
        _ = try SigningKey(secret: Data(count: length), algorithm: algorithm)
    }

    @Test func `A private key that is missing, for encryption or does not match its public key is refused`() throws {
        let one = try #require(SigningKey.generate(.es256).privateJsonWebKey)
        let other = try #require(SigningKey.generate(.es256).privateJsonWebKey)
        let mixed = JsonWebKey(members: one.members.merging(["d": other.members["d"] ?? nil]) { $1 })
        expectError(\JoseError.reason, .key) { try SigningKey(mixed) }
        expectError(\JoseError.reason, .malformed) { try SigningKey(one.publicKey) }
        let forEncryption = JsonWebKey(members: one.members.merging(["use": "enc"]) { $1 })
        expectError(\JoseError.reason, .key) { try SigningKey(forEncryption) }
    }

    @Test(arguments: [
        (PemVector.rsaPkcs8, KeyManagementAlgorithm.rsaOaep256), (PemVector.p256Sec1, .ecdhEs),
        (PemVector.p521Sec1, .ecdhEsA256kw), (PemVector.x25519, .ecdhEsA128kw),
    ])
    func `Private keys for decryption are parsed from PEM`(_ pem: PemVector, _ algorithm: KeyManagementAlgorithm) throws
    {
        let key = try JsonWebKey(pem: pem.text, algorithm: algorithm, keyID: "pem")
        let text = try JsonWebEncryption.encrypt(Data([1]), to: key.publicKey, algorithm: algorithm)
        #expect(try JsonWebEncryption(parsing: text).decrypt(with: key) == Data([1]))
        expectError(\JoseError.reason, .key) { try JsonWebKey(pem: pem.text, algorithm: .direct) }
        expectError(\JoseError.reason, .key) { try JsonWebKey(pem: "", algorithm: algorithm) }
    }

    /// The encodings of all points of small order of Ed25519: each y coordinate with both signs of x.
    private static let smallOrder = [
        "00" + String(repeating: "00", count: 31), "01" + String(repeating: "00", count: 31),
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + String(repeating: "ff", count: 30) + "7f", "ed" + String(repeating: "ff", count: 30) + "7f",
        "ee" + String(repeating: "ff", count: 30) + "7f",
    ].flatMap { text -> [[UInt8]] in
        var bytes = stride(from: 0, to: 64, by: 2).map { offset in
            UInt8(text.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
        let positive = bytes
        bytes[31] |= 0x80
        return [positive, bytes]
    }

    @Test(arguments: smallOrder)
    func `A public key of small order does not verify a signature`(_ point: [UInt8]) async throws {
        let key = JsonWebKey(members: ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64Url.encode(Data(point)))])
        // With the neutral element as R and zero as S, the signature is valid for every message if the key is the neutral element.
        let forged = Data([1]) + Data(count: 63)
        let parts = [Data(#"{"alg":"EdDSA"}"#.utf8), Data(#"{"sub":"mallory"}"#.utf8), forged]
        let signature = try JsonWebSignature(parsing: parts.map(Base64Url.encode).joined(separator: "."))
        let error = #expect(throws: JoseError.self) { try signature.verify(with: key, allowing: [.edDSA]) }
        #expect(error?.reason == .key)
        #expect(error?.description.contains("small order") == true)
    }

    /// Returns a key whose signatures another key makes, as hardware does.
    private func hardwareKey(_ key: SigningKey, keyID: String? = nil) throws -> SigningKey {
        let privateKey = try #require(key.privateJsonWebKey)
        let number = try #require(privateKey.members["d"]?.string.flatMap(Base64Url.decode))
        return try SigningKey(publicKey: privateKey, algorithm: .es256, keyID: keyID) { data in
            try P256.Signing.PrivateKey(rawRepresentation: number).signature(for: data).rawRepresentation
        }
    }

    @Test func `A key that hardware keeps signs messages and proofs, and contains no private member`() async throws {
        let software = try SigningKey.generate(.es256)
        let key = try hardwareKey(software, keyID: "chip")
        let publicKey = try #require(software.publicJsonWebKey)
        let signature = try JsonWebSignature(parsing: try JsonWebSignature.sign(["sub": "alice"], with: key))
        try signature.verify(with: publicKey, allowing: [.es256])
        #expect(signature.keyID == "chip")
        let proof = try ProofOfPossession.make(with: key, method: "GET", url: "https://a.example/", at: Date())
        #expect(try ProofOfPossession(verifying: proof).thumbprint == publicKey.thumbprint())
        #expect(key.privateJsonWebKey == nil && key.publicJsonWebKey?.members["d"] == nil)
        #expect(key.publicJsonWebKey?.keyID == "chip")
        #expect(try key == hardwareKey(software, keyID: "chip"))
    }

    @Test func `A key that hardware keeps cannot be encoded`() throws {
        let key = try hardwareKey(try .generate(.es256))
        expectError(\JoseError.reason, .key) { try JSONEncoder().encode(key) }
    }

    @Test func `A hardware key whose signer fails is an error`() async throws {
        struct Unavailable: Error {}
        let publicKey = try #require(try SigningKey.generate(.es256).publicJsonWebKey)
        let key = try SigningKey(publicKey: publicKey, algorithm: .es256) { _ in throw Unavailable() }
        expectError(\JoseError.reason, .key) { try JsonWebSignature.sign(["sub": "alice"], with: key) }
    }

    @Test(arguments: [SignatureAlgorithm.es384, .rs256, .edDSA, .hs256])
    func `A hardware key is refused for another algorithm`(algorithm: SignatureAlgorithm) throws {
        let publicKey = try #require(try SigningKey.generate(.es256).publicJsonWebKey)
        expectError(\JoseError.reason, .key) { try SigningKey(publicKey: publicKey, algorithm: algorithm) { $0 } }
    }
}
