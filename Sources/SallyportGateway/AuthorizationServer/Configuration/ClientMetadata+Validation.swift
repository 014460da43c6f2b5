import Foundation
import SallyportJOSE

extension ClientMetadata {
    /// What a client cannot be registered with; `nil` if all is well.
    func mistake(among signatures: [SignatureAlgorithm]) -> OAuthRefusal? {
        func metadata(_ text: String) -> OAuthRefusal { OAuthRefusal(.invalidClientMetadata, text) }
        if let uri = (redirectURIs + postLogoutRedirectURIs).first(where: { !RedirectURI.isAcceptable($0) }) {
            return OAuthRefusal(
                .invalidRedirectURI,
                "Nobody can be sent to \(uri.prefix(200)): it has to be https, a loopback address or an own scheme with a dot, without a fragment."
            )
        }
        guard redirectURIs.count <= 20, postLogoutRedirectURIs.count <= 20 else {
            return OAuthRefusal(.invalidRedirectURI, "More than 20 addresses.")
        }
        guard grantTypes.allSatisfy({ GrantType(rawValue: $0) != nil }) else {
            return metadata("A grant type is not known.")
        }
        if grantTypes.contains(GrantType.authorizationCode.rawValue), redirectURIs.isEmpty {
            return OAuthRefusal(.invalidRedirectURI, "The authorization code needs at least one of redirect_uris.")
        }
        let forOwn = [GrantType.clientCredentials, .tokenExchange].map(\.rawValue)
        if authenticationMethod == .none, grantTypes.contains(where: forOwn.contains) {
            return metadata("A public client can have neither client credentials nor token exchange.")
        }
        if authenticationMethod == .privateKeyJwt, keys?.keys.contains(where: { $0.use != "enc" }) != true {
            return metadata("private_key_jwt needs a key in jwks.")
        }
        if idTokenKeyManagement != nil, encryptionKey == nil {
            return metadata("Encrypted id_tokens need a key in jwks.")
        }
        for algorithm in [idTokenSignature, userInfoSignature].compactMap({ $0 }) where !signatures.contains(algorithm)
        {
            return metadata("The gateway does not sign by \(algorithm.rawValue).")
        }
        return nil
    }

    /// The key that its id_tokens are encrypted to.
    var encryptionKey: JsonWebKey? {
        let keys = keys?.keys.filter { $0.use != "sig" && $0.keyType != "oct" }
        return keys?.first { $0.use == "enc" } ?? keys?.first
    }
}

extension SignatureAlgorithm {
    /// Whether one key signs and another verifies.
    var isAsymmetric: Bool { ![.hs256, .hs384, .hs512].contains(self) }
}
