import Foundation
import SallyportJOSE
import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct IdTokenValidatorTests {
    private let fixture: IdTokenFixture

    init() throws { fixture = try IdTokenFixture() }

    @Test func `Validating a valid token returns its claims`() async throws {
        let claims = try await IdTokenFixture.validator().validate(
            fixture.token(["email": "alice@example.com"]),
            keys: fixture.keys,
            nonce: "n-1",
            accessToken: IdTokenFixture.accessToken,
            code: IdTokenFixture.code,
            maximumAge: .seconds(600),
            subject: "alice"
        )
        #expect(claims.subject == "alice")
        #expect(claims.audience == ["app"])
        #expect(claims.issuedAt == IdTokenFixture.now - 10)
        #expect(claims.expiresAt == IdTokenFixture.now + 300)
        #expect(claims.authenticatedAt == IdTokenFixture.now - 100)
        #expect(claims["email"]?.string == "alice@example.com")
    }

    @Test(
        arguments: [
            ["aud": ["app"]], ["aud": ["b", "app"], "azp": "app"], ["azp": "app"], ["aud": ["app", "app"]],
            ["exp": 1_799_999_941],
            ["exp": 1_800_000_300.5], ["iat": 1_800_000_060], ["nbf": 1_800_000_060], ["auth_time": 1_799_999_340],
            ["at_hash": nil, "c_hash": nil],
        ] as [[String: JsonValue?]]
    )
    func `Optional and boundary values of claims are accepted`(_ changes: [String: JsonValue?]) async throws {
        #expect(try await fixture.refusal(of: fixture.token(changes)) == nil)
    }

    @Test(arguments: IdTokenClaimAttack.all)
    func `Each invalid claim is refused with a specific error`(_ attack: IdTokenClaimAttack) async throws {
        #expect(try await fixture.refusal(of: fixture.token(attack.changes)) == attack.refusal)
    }

    // MARK: Signatures

    @Test(arguments: [#"{"alg":"none"}"#, #"{"alg":"NONE"}"#, #"{"typ":"JWT"}"#, #"{"alg":null}"#])
    func `An unsigned token is refused`(_ header: String) async throws {
        #expect(try await fixture.refusal(of: IdTokenFixture.token(header: header)) == .unsigned)
    }

    @Test func `A token signed by HMAC with the server's public RSA key as the secret is refused`() async throws {
        let modulus = Data([0xC1] + [UInt8](repeating: 0x55, count: 254) + [0x01])
        let publicKey = JsonWebKey(members: [
            "kty": "RSA", "kid": "rsa", "alg": "RS256", "e": "AQAB", "n": .string(Base64Url.encode(modulus)),
        ])
        let text = try JSONEncoder().encode(publicKey)
        for secret in [modulus, text] {
            let forger = try SigningKey(secret: secret, keyID: "rsa")
            let token = try await fixture.token(with: forger)
            let keys = JsonWebKeySet([publicKey])
            #expect(await fixture.refusal(of: token, keys: keys) == .symmetricAlgorithm("HS256"))
            let validator = IdTokenFixture.validator(algorithms: [.rs256, .hs256])
            #expect(await fixture.refusal(of: token, keys: keys, by: validator) == .symmetricAlgorithm("HS256"))
            let secretive = IdTokenFixture.validator(
                algorithms: [.rs256, .hs256],
                clientSecret: Data(repeating: 7, count: 32)
            )
            #expect(await fixture.refusal(of: token, keys: keys, by: secretive) == .signature("rsa"))
        }
    }

    @Test
    func `A token signed with the client secret is accepted only if HS256 is allowed and the secret is long enough`()
        async throws
    {
        let secret = Data(repeating: 7, count: 32)
        let token = try await fixture.token(with: SigningKey(secret: secret))
        let agreed = IdTokenFixture.validator(algorithms: [.hs256], clientSecret: secret)
        #expect(await fixture.refusal(of: token, by: agreed) == nil)
        let other = IdTokenFixture.validator(algorithms: [.es256], clientSecret: secret)
        #expect(await fixture.refusal(of: token, by: other) == .symmetricAlgorithm("HS256"))
        let short = IdTokenFixture.validator(algorithms: [.hs256], clientSecret: Data("short".utf8))
        let weak = JoseError(.key, "A key for HS256 must have at least 32 bytes.")
        #expect(await fixture.refusal(of: token, by: short) == .key(weak))
    }

    @Test func `A token with an algorithm that is not allowed is refused`() async throws {
        let key = try SigningKey.generate(.es384, keyID: "three")
        let token = try await fixture.token(with: key)
        let keys = JsonWebKeySet([try #require(key.publicJsonWebKey)])
        #expect(
            await fixture.refusal(of: token, keys: keys) == .algorithm(expected: [.es256, .rs256], actual: "ES384")
        )
        let unknown = try IdTokenFixture.token(header: #"{"alg":"ES256K"}"#, signature: "AAAA")
        #expect(await fixture.refusal(of: unknown) == .algorithm(expected: [.es256, .rs256], actual: "ES256K"))
    }

    @Test func `A token with the kid of a server key but signed with another key is refused`() async throws {
        let forger = try SigningKey.generate(.es256, keyID: "one")
        #expect(try await fixture.refusal(of: fixture.token(with: forger)) == .signature("one"))
        var members = try #require(fixture.key.privateJsonWebKey).members
        members["kid"] = "two"
        let misnamed = try SigningKey(JsonWebKey(members: members))
        #expect(try await fixture.refusal(of: fixture.token(with: misnamed)) == .signature("two"))
    }

    @Test func `A token whose payload was changed after signing is refused`() async throws {
        let parts = try await fixture.token().split(separator: ".")
        let changed = IdTokenFixture.claims.merging(["sub": "mallory"]) { $1 }
        let payload = try Base64Url.encode(JSONEncoder().encode(changed))
        #expect(await fixture.refusal(of: "\(parts[0]).\(payload).\(parts[2])", subject: nil) == .signature("one"))
    }

    @Test func `An unknown kid throws unknownKey so that the keys can be fetched again`() async throws {
        let key = try SigningKey.generate(.es256, keyID: "new")
        let token = try await fixture.token(with: key)
        #expect(await fixture.refusal(of: token) == .unknownKey("new"))
        let keys = JsonWebKeySet(fixture.keys.keys + [try #require(key.publicJsonWebKey)])
        #expect(await fixture.refusal(of: token, keys: keys) == nil)
        #expect(await fixture.refusal(of: token, keys: JsonWebKeySet([])) == .unknownKey("new"))
    }

    @Test func `For a token without a kid, exactly one suitable key must exist`() async throws {
        let key = try SigningKey.generate(.es256)
        let token = try await fixture.token(with: key)
        let fitting = try #require(key.publicJsonWebKey)
        let other = try #require(SigningKey.generate(.es384, keyID: "p384").publicJsonWebKey)
        let forEncryption = JsonWebKey(members: fitting.members.merging(["use": "enc", "alg": "ECDH-ES"]) { $1 })
        #expect(await fixture.refusal(of: token, keys: JsonWebKeySet([other, fitting, forEncryption])) == nil)
        #expect(await fixture.refusal(of: token, keys: JsonWebKeySet([other, forEncryption])) == .unknownKey(nil))
        #expect(await fixture.refusal(of: token, keys: JsonWebKeySet([fitting] + fixture.keys.keys)) == .ambiguousKey)
    }

    @Test func `All keys with the identifier of the token are tried`() async throws {
        let token = try await fixture.token()
        let right = try #require(fixture.key.publicJsonWebKey)
        let wrong = try #require(SigningKey.generate(.es256, keyID: "one").publicJsonWebKey)
        let damaged = JsonWebKey(members: right.members.merging(["x": "AA=="]) { $1 })
        for keys in [[wrong, right], [right, wrong], [damaged, wrong, right]] {
            #expect(await fixture.refusal(of: token, keys: JsonWebKeySet(keys)) == nil)
        }
        #expect(await fixture.refusal(of: token, keys: JsonWebKeySet([wrong, damaged, wrong])) == .signature("one"))
        let many = JsonWebKeySet([JsonWebKey](repeating: wrong, count: 16) + [right])
        #expect(await fixture.refusal(of: token, keys: many) == .signature("one"))
        let problem = JoseError(.malformed, "The key's x is padded (=), which base64url does not allow.")
        #expect(await fixture.refusal(of: token, keys: JsonWebKeySet([damaged])) == .key(problem))
    }

    @Test(arguments: [("exp", -90), ("iat", 90), ("nbf", 90)])
    func `The allowed difference between clocks can be raised, and an error contains the difference`(
        name: String,
        seconds: Int64
    ) async throws {
        let time = Int64(IdTokenFixture.now.timeIntervalSince1970) + seconds
        let token = try await fixture.token([name: .integer(time)])
        let refusal = try #require(await fixture.refusal(of: token))
        #expect("\(refusal)".contains(seconds < 0 ? "1 min 30 s later" : "1 min 30 s before"), "\(refusal)")
        let patient = IdTokenFixture.validator(allowedClockSkew: .seconds(120))
        #expect(await fixture.refusal(of: token, by: patient) == nil)
        let strict = IdTokenFixture.validator(allowedClockSkew: .zero)
        #expect(try await fixture.refusal(of: fixture.token([name: .integer(time - seconds / 2)]), by: strict) != nil)
    }

    @Test(
        arguments: [
            ("https://login.example.com/t-1/v2.0", "t-1", nil),
            (
                "https://login.example.com/t-2/v2.0", "t-1",
                .issuer(expected: "https://login.example.com/t-1/v2.0", actual: "https://login.example.com/t-2/v2.0")
            ),
            ("https://login.example.com/{tenantid}/v2.0", "{tenantid}", .missing("tid")),
            ("https://login.example.com/a/b/v2.0", "a/b", .missing("tid")),
            ("https://login.example.com/../v2.0", "..", .missing("tid")),
            ("https://login.example.com//v2.0", "", .missing("tid")),
            ("https://login.example.com/t-1/v2.0", .null, .missing("tid")),
            (
                "https://id.example.com", "t-1",
                .issuer(expected: "https://login.example.com/t-1/v2.0", actual: "https://id.example.com")
            ),
        ] as [(String, JsonValue, IdTokenError?)]
    )
    func `With a template, the issuer is that of the tenant`(
        issuer: String,
        tenant: JsonValue,
        refusal: IdTokenError?
    ) async throws {
        let validator = IdTokenFixture.validator(issuerTemplate: "https://login.example.com/{tenantid}/v2.0")
        let token = try await fixture.token(["iss": .string(issuer), "tid": tenant])
        #expect(await fixture.refusal(of: token, by: validator) == refusal)
    }

    @Test func `A claim that is null is absent`() async throws {
        let token = try await fixture.token(["nbf": .null, "azp": .null, "at_hash": .null, "c_hash": .null, "x": .null])
        #expect(await fixture.refusal(of: token) == nil)
        #expect(try await fixture.refusal(of: fixture.token(["nonce": .null])) == .nonce(isMissing: true))
        #expect(try await fixture.refusal(of: fixture.token(["exp": .null])) == .missing("exp"))
    }

    @Test func `A key whose use is encryption is refused`() async throws {
        let token = try await fixture.token()
        var members = try #require(fixture.key.publicJsonWebKey).members
        members["use"] = "enc"
        #expect(
            await fixture.refusal(of: token, keys: JsonWebKeySet([JsonWebKey(members: members)]))
                == .encryptionKey("one")
        )
    }

    @Test(
        arguments: [["alg": "ES384"], ["key_ops": ["encrypt"]], ["kty": "RSA"], ["crv": "P-384"]]
            as [[String: JsonValue]]
    )
    func `A key for another algorithm, operation or key type is refused`(_ changes: [String: JsonValue]) async throws {
        let token = try await fixture.token()
        let members = try #require(fixture.key.publicJsonWebKey).members.merging(changes) { $1 }
        #expect(
            await fixture.refusal(of: token, keys: JsonWebKeySet([JsonWebKey(members: members)])) == .otherKey("one")
        )
    }

    @Test func `A token with critical header extensions is refused`() async throws {
        let token = try IdTokenFixture.token(
            header: #"{"alg":"ES256","kid":"one","crit":["x"],"x":1}"#,
            signature: "AAAA"
        )
        let unsupported = JoseError(.critical, "The header demands extensions (crit), and none is supported.")
        #expect(await fixture.refusal(of: token) == .critical(unsupported))
    }

    @Test(arguments: ["at+jwt", "application/at+jwt", "DPoP+jwt", "logout+jwt"])
    func `A token of another type, such as at+jwt, is refused`(_ type: String) async throws {
        #expect(
            try await fixture.refusal(of: fixture.token(header: ["typ": .string(type)])) == .type(type.lowercased())
        )
    }

    private static let otherParts = JoseError(
        .malformed,
        "The signed message does not consist of 3 parts separated by dots."
    )

    @Test(arguments: [
        (TextArgument(""), otherParts), (TextArgument("e30.e30"), otherParts),
        (TextArgument("a.b.c"), JoseError(.malformed, "Part 1 of the signed message is not base64url.")),
        (
            TextArgument(String(repeating: "A", count: 300_000)),
            JoseError(.tooLarge, "The signed message is longer than 262144 bytes.")
        ),
    ])
    func `A malformed token is refused`(_ argument: TextArgument, problem: JoseError) async {
        #expect(await fixture.refusal(of: argument.text) == .malformed(problem))
    }

    // MARK: Encryption

    @Test(arguments: [
        (KeyManagementAlgorithm.rsaOaep256, ContentEncryption.a256gcm), (.ecdhEs, .a128gcm), (.ecdhEsA256kw, .a256gcm),
    ])
    func `An encrypted token is decrypted and then validated`(
        _ algorithm: KeyManagementAlgorithm,
        _ encryption: ContentEncryption
    ) async throws {
        let key = try JsonWebKey.generate(algorithm, keyID: "enc")
        let decryption = IdTokenDecryption(keys: [key], algorithms: [algorithm], encryptions: [encryption])
        let validator = IdTokenFixture.validator(decryption: decryption)
        let nested = try await encrypted(fixture.token(), key, algorithm, encryption)
        #expect(await fixture.refusal(of: nested, by: validator) == nil)
        let wrong = try await encrypted(fixture.token(["aud": "other"]), key, algorithm, encryption)
        #expect(await fixture.refusal(of: wrong, by: validator) == .audience(expected: "app", actual: ["other"]))
        let unsigned = try encrypted(IdTokenFixture.token(header: #"{"alg":"none"}"#), key, algorithm, encryption)
        #expect(await fixture.refusal(of: unsigned, by: validator) == .unsigned)
        #expect(try await fixture.refusal(of: fixture.token(), by: validator) == .notEncrypted)
        #expect(await fixture.refusal(of: nested) == .encrypted)
    }

    @Test func `An encrypted token with a disallowed algorithm or an unknown key is refused`() async throws {
        let key = try JsonWebKey.generate(.ecdhEs, keyID: "enc")
        let other = try JsonWebKey.generate(.ecdhEs, keyID: "enc")
        let renamed = try JsonWebKey.generate(.ecdhEs, keyID: "another")
        let nested = try await encrypted(fixture.token(), key, .ecdhEs, .a128gcm)
        for decryption in [
            IdTokenDecryption(keys: [key], algorithms: [.rsaOaep256]),
            IdTokenDecryption(keys: [key], encryptions: [.a256gcm]),
            IdTokenDecryption(keys: [other]), IdTokenDecryption(keys: [renamed]), IdTokenDecryption(keys: []),
        ] {
            let validator = IdTokenFixture.validator(decryption: decryption)
            guard case .decryption = await fixture.refusal(of: nested, by: validator) else {
                Issue.record("it is refused as not decrypted")
                return
            }
        }
        let several = IdTokenFixture.validator(
            decryption: IdTokenDecryption(keys: [renamed, other, key], isRequired: false)
        )
        #expect(await fixture.refusal(of: nested, by: several) == nil)
        #expect(try await fixture.refusal(of: fixture.token(), by: several) == nil)
    }

    private func encrypted(
        _ token: String,
        _ key: JsonWebKey,
        _ algorithm: KeyManagementAlgorithm,
        _ encryption: ContentEncryption
    ) throws -> String {
        try JsonWebEncryption.encrypt(
            Data(token.utf8),
            to: key.publicKey,
            algorithm: algorithm,
            encryption: encryption,
            header: ["cty": "JWT"]
        )
    }

    // MARK: Descriptions

    @Test func `Error descriptions state the expected and the actual value`() async throws {
        let issuer = try await fixture.refusal(of: fixture.token(["iss": "https://evil.example"]))
        #expect(
            issuer?.description == "The id_token is from https://evil.example, not from https://id.example.com (iss)."
        )
        let audience = try await fixture.refusal(of: fixture.token(["aud": ["a", "b"]]))
        #expect(audience?.description == "The id_token is for a, b, not for app (aud).")
        let expired = try await fixture.refusal(of: fixture.token(["exp": 1_700_000_000]))
        #expect(
            expired?.description
                == "The id_token expired at 2023-11-14T22:13:20Z; it is 2027-01-15T08:00:00Z, 1157 days later (exp)."
        )
    }

    @Test(arguments: IdTokenClaimAttack.all)
    func `Error descriptions contain neither token nor nonce and are limited in length`(
        _ attack: IdTokenClaimAttack
    ) async throws {
        let token = try await fixture.token(attack.changes)
        let error = try #require(await fixture.refusal(of: token))
        for secret in [IdTokenFixture.accessToken, IdTokenFixture.code, "n-1", "n-2"]
            + token.split(separator: ".").map(String.init)
        {
            #expect(!error.description.contains(secret))
        }
        let long = try await fixture.token(["iss": .string(String(repeating: "x", count: 10_000))])
        #expect(try #require(await fixture.refusal(of: long)).description.count < 300)
    }

    @Test func `Dumps of a validator and a parsed token contain no secret`() async throws {
        let secret = Data("a-secret-of-the-client-that-is-long".utf8)
        let validator = IdTokenFixture.validator(algorithms: [.hs256], clientSecret: secret)
        let token = try await fixture.token()
        var shown = ""
        dump(validator, to: &shown)
        #expect(shown.contains(IdTokenFixture.issuer))
        #expect(!shown.contains("\(secret[0])\n") && !shown.contains("bytes"))
        let signature = try JsonWebSignature(parsing: token)
        shown = "\(signature) \(String(reflecting: signature))"
        dump(signature, to: &shown)
        #expect(shown.contains("ES256"))
        #expect(!shown.contains("alice") && !shown.contains("payload") && !shown.contains("bytes"))
    }
}
