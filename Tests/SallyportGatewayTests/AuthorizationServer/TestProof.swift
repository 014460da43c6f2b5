import Crypto
import Foundation
import SallyportJOSE

@testable import SallyportGateway

/// Creates DPoP proofs, valid and invalid ones.
struct TestProof: Sendable {
    let key: SigningKey
    let identity: TestIdentity

    init(_ identity: TestIdentity) throws {
        key = try .generate(.es256)
        self.identity = identity
    }

    var thumbprint: String {
        get throws { try key.publicJsonWebKey!.thumbprint() }
    }

    func callAsFunction(
        _ method: String = "POST",
        _ path: String = "/token",
        token: String? = nil,
        nonce: String? = nil,
        header: [String: JsonValue] = [:],
        _ changes: [String: JsonValue?] = [:]
    ) async throws -> String {
        var claims: [String: JsonValue] = [
            "jti": .string(UUID().uuidString),
            "htm": .string(method),
            "htu": .string("http://127.0.0.1\(path)"),
            "iat": .seconds(identity.clock.now),
        ]
        claims["ath"] = token.map { .string(Base64Url.encode(Data(SHA256.hash(data: Data($0.utf8))))) }
        claims["nonce"] = nonce.map { .string($0) }
        for (name, value) in changes { claims[name] = value }
        var head: [String: JsonValue] = ["typ": "dpop+jwt", "jwk": .object(key.publicJsonWebKey!.members)]
        head.merge(header) { $1 }
        return try JsonWebSignature.sign(claims, header: head, with: key)
    }
}
