import SallyportJOSE

/// What is known of a client, by the names of its registration (RFC 7591, section 2).
public struct ClientMetadata: Sendable, Equatable {
    /// The name that people read (`client_name`).
    public var clientName: String?
    /// How it shows who it is (`token_endpoint_auth_method`). One with a secret may send it either way.
    public var authenticationMethod: ClientAuthenticationMethod
    /// Where people are sent back to (`redirect_uris`); a loopback address stands for all its ports (RFC 8252, section 7.3).
    public var redirectURIs: [String]
    /// Where people are sent once they have signed out (`post_logout_redirect_uris`).
    public var postLogoutRedirectURIs: [String]
    /// How it may get tokens (`grant_types`).
    public var grantTypes: [String]
    /// The scopes that it may ask for, with spaces between them (`scope`).
    public var scope: String?
    /// Its public keys (`jwks`): to verify its assertions, and to encrypt its id_tokens.
    public var keys: JsonWebKeySet?
    /// How its id_tokens are signed (`id_token_signed_response_alg`); by the gateway's first algorithm if it does not say.
    public var idTokenSignature: SignatureAlgorithm?
    /// How the key of its encrypted id_tokens is agreed on (`id_token_encrypted_response_alg`); `nil` to leave them signed only.
    public var idTokenKeyManagement: KeyManagementAlgorithm?
    /// How its encrypted id_tokens are encrypted (`id_token_encrypted_response_enc`).
    public var idTokenEncryption: ContentEncryption
    /// How answers of userinfo are signed (`userinfo_signed_response_alg`); `nil` for plain JSON.
    public var userInfoSignature: SignatureAlgorithm?
    /// Whether it gets only tokens that are bound to a key (`dpop_bound_access_tokens`, RFC 9449, section 5.2).
    public var demandsProofs: Bool
    /// Whether it has to push its requests (`require_pushed_authorization_requests`, RFC 9126, section 6).
    public var demandsPushedRequests: Bool

    /// Makes the metadata of a client; by default of a public one that uses the authorization code.
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
        demandsPushedRequests: Bool = false
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
    }
}

/// How a client shows who it is.
public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
    /// Not at all: a public client.
    case none
    /// Its secret in the `Authorization` header (RFC 6749, section 2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// Its secret in the form.
    case clientSecretPost = "client_secret_post"
    /// A token that it has signed (RFC 7523).
    case privateKeyJwt = "private_key_jwt"
}
