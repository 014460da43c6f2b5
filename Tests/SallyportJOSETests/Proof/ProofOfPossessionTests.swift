import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ProofOfPossessionTests {
    /// The proof for a token request (RFC 9449, section 4.2).
    private static let tokenProof = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0R\
        scEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMj\
        U2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rv\
        a2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfb\
        V37xRZT3Lg
        """
    /// The proof for a request to a resource server (RFC 9449, section 7.1).
    private static let resourceProof = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0R\
        scEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMj\
        U2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9w\
        cm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWt\
        zbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA
        """
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let url = "https://api.example.com/things"

    @Test func `The proofs in RFC 9449 are valid, and their key has the expected thumbprint`() async throws {
        let first = try ProofOfPossession(verifying: Self.tokenProof)
        #expect(first.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(first.identifier == "-BwC3ESc6acc2lTc")
        let time = Date(timeIntervalSince1970: 1_562_262_616)
        try first.check(method: "POST", url: "https://server.example.com/token", at: time)
        let second = try ProofOfPossession(verifying: Self.resourceProof)
        #expect(second.thumbprint == first.thumbprint)
        try second.check(
            method: "GET",
            url: "https://resource.example.org/protectedresource?query=1#fragment",
            accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU",
            at: time
        )
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA, .ps256])
    func `A created proof is valid and contains neither the private key nor the key identifier`(
        _ algorithm: SignatureAlgorithm
    ) async throws {
        let key = try SigningKey.generate(algorithm, keyID: "one")
        let text = try ProofOfPossession.make(
            with: key,
            method: "GET",
            url: Self.url + "?secret=1#x",
            accessToken: "token",
            nonce: "nonce",
            at: Self.now
        )
        let header = try JsonWebSignature(parsing: text).header
        #expect(Set(header.keys) == ["alg", "jwk", "typ"])
        #expect(header["jwk"]?["d"] == nil)
        #expect(header["jwk"]?["use"] == nil)
        let proof = try ProofOfPossession(verifying: text)
        #expect(proof.url == Self.url)
        #expect(proof.nonce == "nonce")
        #expect(try proof.thumbprint == key.publicJsonWebKey?.thumbprint())
        try proof.check(method: "GET", url: Self.url, accessToken: "token", at: Self.now)
    }

    @Test func `Each proof has another identifier`() async throws {
        let key = try SigningKey.generate(.es256)
        var identifiers: Set<String> = []
        for _ in 0..<20 {
            let text = try ProofOfPossession.make(with: key, method: "GET", url: Self.url, at: Self.now)
            identifiers.insert(try ProofOfPossession(verifying: text).identifier)
        }
        #expect(identifiers.count == 20)
    }

    @Test func `A symmetric key is refused`() async throws {
        let key = try SigningKey.generate(.hs256)
        expectError(\JoseError.reason, .key) {
            try ProofOfPossession.make(with: key, method: "GET", url: Self.url, at: Self.now)
        }
        let secret = try #require(key.privateJsonWebKey)
        let text = try JsonWebSignature.sign(
            ["jti": "1", "htm": "GET", "htu": .string(Self.url), "iat": 1],
            header: ["typ": "dpop+jwt", "jwk": .object(secret.members)],
            with: key
        )
        expectError(\JoseError.reason, .key) { try ProofOfPossession(verifying: text) }
    }

    @Test(
        arguments: [
            (["typ": "JWT"], [:], JoseError.Reason.malformed),
            (["typ": nil], [:], .malformed),
            (["jwk": nil], [:], .malformed),
            (["jwk": ["kty": "EC"]], [:], .key),
            ([:], ["jti": nil], .malformed),
            ([:], ["jti": ""], .malformed),
            ([:], ["jti": .string(String(repeating: "x", count: 300))], .malformed),
            ([:], ["htm": 1], .malformed),
            ([:], ["htu": nil], .malformed),
            ([:], ["iat": "1"], .malformed),
            ([:], ["nonce": 1], .malformed),
            ([:], ["ath": 1], .malformed),
        ] as [([String: JsonValue], [String: JsonValue], JoseError.Reason)]
    )
    func `A proof with missing or invalid members is refused`(
        _ header: [String: JsonValue],
        _ claims: [String: JsonValue],
        _ expected: JoseError.Reason
    ) async throws {
        let key = try SigningKey.generate(.es256)
        let publicKey = try #require(key.publicJsonWebKey).members
        let text = try JsonWebSignature.sign(
            ["jti": "1", "htm": "GET", "htu": .string(Self.url), "iat": 1].merging(claims) { $1 },
            header: ["typ": "dpop+jwt", "jwk": .object(publicKey)].merging(header) { $1 },
            with: key
        )
        #expect {
            try ProofOfPossession(verifying: text)
        } throws: { ($0 as? JoseError)?.reason == expected }
    }

    @Test func `A proof signed with another key than it contains or with a private key in its header is refused`()
        async throws
    {
        let key = try SigningKey.generate(.es256)
        let other = try SigningKey.generate(.es256)
        for (shown, reason) in [
            (other.publicJsonWebKey, JoseError.Reason.signature), (key.privateJsonWebKey, .key),
        ] {
            let text = try JsonWebSignature.sign(
                ["jti": "1", "htm": "GET", "htu": .string(Self.url), "iat": 1],
                header: ["typ": "dpop+jwt", "jwk": .object(try #require(shown).members)],
                with: key
            )
            expectError(\JoseError.reason, reason) { try ProofOfPossession(verifying: text) }
        }
    }

    @Test(
        arguments: [
            ("POST", url, "token", 0.0), ("get", url, "token", 0), ("GET", "https://api.example.com/thing", "token", 0),
            ("GET", "http://api.example.com/things", "token", 0),
            ("GET", "https://api.example.com:444/things", "token", 0),
            ("GET", "https://evil.example.com/things", "token", 0), ("GET", "", "token", 0), ("GET", url, "other", 0),
            ("GET", url, nil, 0), ("GET", url, "token", 61), ("GET", url, "token", -61),
        ] as [(String, String, String?, TimeInterval)]
    )
    func `A proof for another request, token or time is refused`(
        _ method: String,
        _ url: String,
        _ token: String?,
        _ seconds: TimeInterval
    ) async throws {
        let key = try SigningKey.generate(.es256)
        let text = try ProofOfPossession.make(
            with: key,
            method: "GET",
            url: Self.url,
            accessToken: "token",
            at: Self.now
        )
        let proof = try ProofOfPossession(verifying: text)
        try proof.check(method: "GET", url: Self.url, accessToken: "token", at: Self.now + 60)
        expectError(\JoseError.reason, .malformed) {
            try proof.check(method: method, url: url, accessToken: token, at: Self.now + seconds)
        }
    }

    @Test(arguments: [
        ("HTTPS://API.example.com:443/a?b#c", "https://api.example.com/a"),
        ("https://api.example.com", "https://api.example.com/"),
        ("https://api.example.com:8443?x", "https://api.example.com:8443/"),
        ("http://127.0.0.1:80/", "http://127.0.0.1/"),
        ("https://api.example.com/%7euser/a%2fb%c3%a9", "https://api.example.com/~user/a%2Fb%C3%A9"),
        ("https://user:secret@api.example.com/a", "https://api.example.com/a"),
        ("https://[::1]:443/a", "https://[::1]/a"),
    ])
    func `The URL of a proof is normalized`(_ url: String, _ expected: String) async throws {
        let key = try SigningKey.generate(.es256)
        let text = try ProofOfPossession.make(with: key, method: "GET", url: url, at: Self.now)
        let proof = try ProofOfPossession(verifying: text)
        #expect(proof.url == expected)
        try proof.check(method: "GET", url: url, at: Self.now)
    }

    @Test(arguments: ["", "/things", "example.com", "https://", "mailto:a@example.com"])
    func `A URL without a host is refused`(_ url: String) async throws {
        let key = try SigningKey.generate(.es256)
        expectError(\JoseError.reason, .malformed) {
            try ProofOfPossession.make(with: key, method: "GET", url: url, at: Self.now)
        }
    }
}
