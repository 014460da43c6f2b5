import SallyportJOSE

extension ClientMetadata: Codable {
    private enum CodingKeys: String, CodingKey {
        case clientName = "client_name"
        case authenticationMethod = "token_endpoint_auth_method"
        case redirectURIs = "redirect_uris"
        case postLogoutRedirectURIs = "post_logout_redirect_uris"
        case grantTypes = "grant_types"
        case scope, jwks
        case idTokenSignature = "id_token_signed_response_alg"
        case idTokenKeyManagement = "id_token_encrypted_response_alg"
        case idTokenEncryption = "id_token_encrypted_response_enc"
        case userInfoSignature = "userinfo_signed_response_alg"
        case demandsProofs = "dpop_bound_access_tokens"
        case demandsPushedRequests = "require_pushed_authorization_requests"
    }

    private struct Keys: Codable {
        let keys: [JsonWebKey]
    }

    /// Reads what is known of a client.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ type: Value.Type = Value.self) throws -> Value? {
            try container.decodeIfPresent(type, forKey: key)
        }
        self.init(
            clientName: try read(.clientName),
            authenticationMethod: try read(.authenticationMethod) ?? .clientSecretBasic,
            redirectURIs: try read(.redirectURIs) ?? [],
            postLogoutRedirectURIs: try read(.postLogoutRedirectURIs) ?? [],
            grantTypes: try read(.grantTypes) ?? ["authorization_code"],
            scope: try read(.scope),
            keys: try read(.jwks, Keys.self).map { JsonWebKeySet($0.keys) },
            idTokenSignature: try read(.idTokenSignature),
            idTokenKeyManagement: try read(.idTokenKeyManagement),
            idTokenEncryption: try read(.idTokenEncryption) ?? .a256gcm,
            userInfoSignature: try read(.userInfoSignature),
            demandsProofs: try read(.demandsProofs) ?? false,
            demandsPushedRequests: try read(.demandsPushedRequests) ?? false
        )
    }

    /// Writes what is known of a client.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(clientName, forKey: .clientName)
        try container.encode(authenticationMethod, forKey: .authenticationMethod)
        try container.encode(redirectURIs, forKey: .redirectURIs)
        try container.encode(postLogoutRedirectURIs, forKey: .postLogoutRedirectURIs)
        try container.encode(grantTypes, forKey: .grantTypes)
        try container.encodeIfPresent(scope, forKey: .scope)
        try container.encodeIfPresent(keys.map { Keys(keys: $0.keys) }, forKey: .jwks)
        try container.encodeIfPresent(idTokenSignature, forKey: .idTokenSignature)
        if let idTokenKeyManagement {
            try container.encode(idTokenKeyManagement, forKey: .idTokenKeyManagement)
            try container.encode(idTokenEncryption, forKey: .idTokenEncryption)
        }
        try container.encodeIfPresent(userInfoSignature, forKey: .userInfoSignature)
        try container.encode(demandsProofs, forKey: .demandsProofs)
        try container.encode(demandsPushedRequests, forKey: .demandsPushedRequests)
    }
}
