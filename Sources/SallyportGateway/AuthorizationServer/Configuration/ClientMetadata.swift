import Foundation
import SallyportJOSE

/// The metadata of a client, with the member names of its registration (RFC 7591, section 2).
public struct ClientMetadata: Sendable, Equatable {
    /// The name that users see (`client_name`).
    public var clientName: String?
    /// The client authentication method (`token_endpoint_auth_method`). A client with a secret may send it in the header or in the
    /// form.
    public var authenticationMethod: ClientAuthenticationMethod
    /// The URIs that browsers are redirected to (`redirect_uris`). A loopback URI matches any port (RFC 8252, section 7.3).
    public var redirectURIs: [String]
    /// The URIs that browsers are redirected to after a logout (`post_logout_redirect_uris`).
    public var postLogoutRedirectURIs: [String]
    /// The grant types that the client may use (`grant_types`).
    public var grantTypes: [String]
    /// The scopes that the client may request, separated by spaces (`scope`).
    public var scope: String?
    /// The public keys that verify its assertions and encrypt its id_tokens (`jwks`).
    public var keys: JsonWebKeySet?
    /// The signature algorithm of its id_tokens (`id_token_signed_response_alg`); `nil` for the gateway's first algorithm.
    public var idTokenSignature: SignatureAlgorithm?
    /// The key management algorithm of its encrypted id_tokens (`id_token_encrypted_response_alg`); `nil` for no encryption.
    public var idTokenKeyManagement: KeyManagementAlgorithm?
    /// The content encryption of its encrypted id_tokens (`id_token_encrypted_response_enc`).
    public var idTokenEncryption: ContentEncryption
    /// The signature algorithm of userinfo responses (`userinfo_signed_response_alg`); `nil` for plain JSON.
    public var userInfoSignature: SignatureAlgorithm?
    /// A Boolean value that indicates whether the client gets only tokens that are bound to a key (`dpop_bound_access_tokens`,
    /// RFC 9449, section 5.2).
    public var demandsProofs: Bool
    /// A Boolean value that indicates whether the client must push its authorization requests
    /// (`require_pushed_authorization_requests`, RFC 9126, section 6).
    public var demandsPushedRequests: Bool
    /// The identifier of the client software, the same for all its installations (`software_id`).
    public var softwareID: String?
    /// The version of the client software (`software_version`).
    public var softwareVersion: String?
    /// The signed statement about the client software (`software_statement`, RFC 7591, section 2.3). The gateway stores and returns
    /// it, and verifies it if ``AuthorizationServerConfiguration/applications`` are configured.
    public var softwareStatement: String?

    /// Creates the metadata of a client; by default of a public client that uses the authorization code grant.
    public init(
        clientName: String? = nil,
        authenticationMethod: ClientAuthenticationMethod = .none,
        redirectURIs: [String] = [],
        postLogoutRedirectURIs: [String] = [],
        grantTypes: [String] = ["authorization_code"],
        scope: String? = nil,
        keys: JsonWebKeySet? = nil,
        idTokenSignature: SignatureAlgorithm? = nil,
        idTokenKeyManagement: KeyManagementAlgorithm? = nil,
        idTokenEncryption: ContentEncryption = .a256gcm,
        userInfoSignature: SignatureAlgorithm? = nil,
        demandsProofs: Bool = false,
        demandsPushedRequests: Bool = false,
        softwareID: String? = nil,
        softwareVersion: String? = nil,
        softwareStatement: String? = nil
    ) {
        self.clientName = clientName
        self.authenticationMethod = authenticationMethod
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.grantTypes = grantTypes
        self.scope = scope
        self.keys = keys
        self.idTokenSignature = idTokenSignature
        self.idTokenKeyManagement = idTokenKeyManagement
        self.idTokenEncryption = idTokenEncryption
        self.userInfoSignature = userInfoSignature
        self.demandsProofs = demandsProofs
        self.demandsPushedRequests = demandsPushedRequests
        self.softwareID = softwareID
        self.softwareVersion = softwareVersion
        self.softwareStatement = softwareStatement
    }
}

/// A client authentication method (RFC 7591, section 2).
public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
    /// No authentication: a public client.
    case none
    /// The client secret in the `Authorization` header (RFC 6749, section 2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// The client secret in the form.
    case clientSecretPost = "client_secret_post"
    /// A token that the client has signed (RFC 7523).
    case privateKeyJwt = "private_key_jwt"
}

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
        case softwareID = "software_id"
        case softwareVersion = "software_version"
        case softwareStatement = "software_statement"
    }

    private struct Keys: Codable {
        let keys: [JsonWebKey]
    }

    /// Decodes client metadata. Unknown members are ignored.
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
            demandsPushedRequests: try read(.demandsPushedRequests) ?? false,
            softwareID: try read(.softwareID),
            softwareVersion: try read(.softwareVersion),
            softwareStatement: try read(.softwareStatement)
        )
    }

    /// Encodes client metadata.
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
        try container.encodeIfPresent(softwareID, forKey: .softwareID)
        try container.encodeIfPresent(softwareVersion, forKey: .softwareVersion)
        try container.encodeIfPresent(softwareStatement, forKey: .softwareStatement)
    }
}

extension ClientMetadata {
    /// Returns the first error in the metadata, or `nil`.
    ///
    /// - Parameter signatures: The algorithms that the gateway signs with.
    func mistake(among signatures: [SignatureAlgorithm]) -> OAuthRefusal? {
        func metadata(_ text: String) -> OAuthRefusal { OAuthRefusal(.invalidClientMetadata, text) }
        if let uri = (redirectURIs + postLogoutRedirectURIs).first(where: { !RedirectURI.isAcceptable($0) }) {
            return OAuthRefusal(
                .invalidRedirectURI,
                "The URI \(uri.prefix(200)) is not allowed: use https, a loopback address, or a private-use scheme with a dot; without a fragment."
            )
        }
        guard redirectURIs.count <= 20, postLogoutRedirectURIs.count <= 20 else {
            return OAuthRefusal(.invalidRedirectURI, "There are more than 20 URIs.")
        }
        guard grantTypes.allSatisfy({ GrantType(rawValue: $0) != nil }) else {
            return metadata("A grant type is not supported.")
        }
        if grantTypes.contains(GrantType.authorizationCode.rawValue), redirectURIs.isEmpty {
            return OAuthRefusal(
                .invalidRedirectURI,
                "The authorization code grant needs at least one of redirect_uris."
            )
        }
        let confidential = [GrantType.clientCredentials, .tokenExchange].map(\.rawValue)
        if authenticationMethod == .none, grantTypes.contains(where: confidential.contains) {
            return metadata("A public client can use neither client credentials nor token exchange.")
        }
        if authenticationMethod == .privateKeyJwt, verificationKeys.isEmpty {
            return metadata("private_key_jwt needs a key in jwks.")
        }
        if idTokenKeyManagement != nil, encryptionKey == nil {
            return metadata("Encrypted id_tokens need a key for encryption in jwks.")
        }
        for algorithm in [idTokenSignature, userInfoSignature].compactMap({ $0 }) where !signatures.contains(algorithm)
        {
            return metadata("The gateway does not sign with \(algorithm.rawValue).")
        }
        return nil
    }

    /// The keys that verify its assertions.
    var verificationKeys: [JsonWebKey] {
        keys?.keys.filter { $0.use != "enc" && $0.keyType != "oct" } ?? []
    }

    /// The key that encrypts its id_tokens.
    var encryptionKey: JsonWebKey? {
        let keys = keys?.keys.filter { $0.use != "sig" && $0.keyType != "oct" }
        return keys?.first { $0.use == "enc" } ?? keys?.first
    }
}
