import Crypto
import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Makes an id_token (OpenID Connect Core, section 2), encrypted if the client is registered so.
    func makeIdToken(
        _ grant: Grant,
        for client: GatewayClient,
        accessToken: String,
        nonce: String?
    ) async throws(OAuthRefusal) -> String {
        let time = now()
        let algorithm = client.metadata.idTokenSignature ?? configuration.signatureAlgorithms.first ?? .es256
        var claims: [String: JsonValue] = [
            "iss": .string(issuer),
            "sub": .string(grant.subject),
            "aud": .string(client.id),
            "iat": .seconds(time),
            "exp": .seconds(time + configuration.lifetimes.idToken),
            "at_hash": .string(algorithm.leftHalf(of: accessToken)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        claims["auth_time"] = grant.authenticatedAt.map { .seconds($0) }
        claims["sid"] = grant.sessionID.map { .string($0) }
        let signed = try await sign(claims, header: ["typ": "JWT"], by: algorithm)
        guard let management = client.metadata.idTokenKeyManagement else { return signed }
        return try encrypt(signed, for: client, by: management)
    }

    private func encrypt(
        _ token: String,
        for client: GatewayClient,
        by management: KeyManagementAlgorithm
    ) throws(OAuthRefusal) -> String {
        guard let key = client.metadata.encryptionKey else {
            throw OAuthRefusal(.serverError, "The client has no key to encrypt to.")
        }
        var header: [String: JsonValue] = ["cty": "JWT"]
        header["kid"] = key.keyID.map { .string($0) }
        do {
            return try JsonWebEncryption.encrypt(
                Data(token.utf8),
                to: key,
                algorithm: management,
                encryption: client.metadata.idTokenEncryption,
                header: header
            )
        } catch {
            throw OAuthRefusal(.serverError, "The id_token cannot be encrypted to the client's key.")
        }
    }
}

extension SignatureAlgorithm {
    /// The left half of a token's hash, for `at_hash` (OpenID Connect Core, section 3.1.3.6).
    func leftHalf(of token: String) -> String {
        let data = Data(token.utf8)
        let digest =
            switch self {
            case .hs256, .rs256, .ps256, .es256: Data(SHA256.hash(data: data))
            case .hs384, .rs384, .ps384, .es384: Data(SHA384.hash(data: data))
            case .hs512, .rs512, .ps512, .es512, .edDSA: Data(SHA512.hash(data: data))
            }
        return Base64Url.encode(digest.prefix(digest.count / 2))
    }
}
