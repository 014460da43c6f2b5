import Foundation
import SallyportJOSE
import SallyportOAuth

/// A server's keys and a token of it, with what an attack changes.
struct IdTokenBench: Sendable {
    static let issuer = "https://id.example.com"
    static let client = "app"
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let accessToken = "an-access-token"
    static let code = "a-code"

    /// The key that the server signs with, and one more of its keys.
    let key: SigningKey
    let other: SigningKey

    init() throws {
        key = try SigningKey.generate(.es256, keyID: "one")
        other = try SigningKey.generate(.es256, keyID: "two")
    }

    var keys: JsonWebKeySet { JsonWebKeySet([key, other].compactMap(\.publicJsonWebKey)) }

    /// What a good token says.
    static var claims: [String: JsonValue] {
        [
            "iss": .string(issuer), "sub": "alice", "aud": .string(client), "nonce": "n-1",
            "iat": 1_799_999_990, "exp": 1_800_000_300, "auth_time": 1_799_999_900,
            "at_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: accessToken)),
            "c_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: code)),
        ]
    }

    /// A token with some claims changed; `nil` takes one away.
    func token(
        _ changes: [String: JsonValue?] = [:],
        header: [String: JsonValue] = [:],
        with key: SigningKey? = nil
    ) async throws -> String {
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        return try await JsonWebSignature.sign(claims, header: header, with: key ?? self.key)
    }

    /// A token whose header is written by hand, with any signature.
    static func token(header: String, signature: String = "") throws -> String {
        let parts = [Data(header.utf8), try JSONEncoder().encode(claims)]
        return parts.map { Base64Url.encode($0) }.joined(separator: ".") + "." + signature
    }

    static func validator(
        algorithms: Set<SignatureAlgorithm> = [.es256, .rs256],
        clientSecret: Data? = nil,
        decryption: IdTokenDecryption? = nil
    ) -> IdTokenValidator {
        IdTokenValidator(
            issuer: issuer,
            clientID: client,
            algorithms: algorithms,
            clientSecret: clientSecret,
            decryption: decryption,
            now: { now }
        )
    }

    /// Why a token is refused; `nil` if it is not.
    func refusal(
        of token: String,
        keys: JsonWebKeySet? = nil,
        by validator: IdTokenValidator = validator(),
        nonce: String? = "n-1",
        maximumAge: Duration? = .seconds(600),
        subject: String? = "alice"
    ) async -> IdTokenError? {
        do {
            _ = try await validator.validate(
                token,
                keys: keys ?? self.keys,
                nonce: nonce,
                accessToken: Self.accessToken,
                code: Self.code,
                maximumAge: maximumAge,
                subject: subject
            )
            return nil
        } catch {
            return error
        }
    }
}
