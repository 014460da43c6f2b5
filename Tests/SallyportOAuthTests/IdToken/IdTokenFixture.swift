import Foundation
import SallyportJOSE
import SallyportOAuth

/// The keys of a server, which sign valid and invalid tokens.
struct IdTokenFixture: Sendable {
    static let issuer = "https://id.example.com"
    static let client = "app"
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let accessToken = "an-access-token"
    static let code = "a-code"

    /// The signing keys of the server.
    let key: SigningKey
    let other: SigningKey

    init() throws {
        key = try SigningKey.generate(.es256, keyID: "one")
        other = try SigningKey.generate(.es256, keyID: "two")
    }

    var keys: JsonWebKeySet { JsonWebKeySet([key, other].compactMap(\.publicJsonWebKey)) }

    /// The claims of a valid token.
    static var claims: [String: JsonValue] {
        [
            "iss": .string(issuer), "sub": "alice", "aud": .string(client), "nonce": "n-1",
            "iat": 1_799_999_990, "exp": 1_800_000_300, "auth_time": 1_799_999_900,
            "at_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: accessToken)),
            "c_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: code)),
        ]
    }

    /// Returns a token with changed claims; `nil` removes a claim.
    func token(
        _ changes: [String: JsonValue?] = [:],
        header: [String: JsonValue] = [:],
        with key: SigningKey? = nil
    ) async throws -> String {
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        return try JsonWebSignature.sign(claims, header: header, with: key ?? self.key)
    }

    /// Returns a token with a header in text form and any signature.
    static func token(header: String, signature: String = "") throws -> String {
        let parts = [Data(header.utf8), try JSONEncoder().encode(claims)]
        return parts.map { Base64Url.encode($0) }.joined(separator: ".") + "." + signature
    }

    static func validator(
        algorithms: Set<SignatureAlgorithm> = [.es256, .rs256],
        clientSecret: Data? = nil,
        decryption: IdTokenDecryption? = nil,
        allowedClockSkew: Duration = .seconds(60),
        issuerTemplate: String? = nil
    ) -> IdTokenValidator {
        IdTokenValidator(
            issuer: issuer,
            clientID: client,
            algorithms: algorithms,
            clientSecret: clientSecret,
            decryption: decryption,
            allowedClockSkew: allowedClockSkew,
            issuerTemplate: issuerTemplate,
            now: { now }
        )
    }

    /// Returns the error for a token, or `nil` if it is valid.
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
