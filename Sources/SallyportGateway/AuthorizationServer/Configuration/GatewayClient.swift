import SallyportJOSE

/// A client of the gateway's authorization server.
public struct GatewayClient: Sendable, Equatable {
    /// The identifier in requests (`client_id`).
    public var id: String
    /// The hash of the secret; `nil` for a client without a secret.
    public var secret: PasswordHash?
    /// The metadata, which a client can also register itself.
    public var metadata: ClientMetadata
    /// The identifiers of the other clients whose access tokens it may exchange (RFC 8693). It may always exchange its
    /// own.
    public var tokenExchangeClients: [String]
    /// Further claims in its access tokens and their introspection responses, such as `app_identifier`. The gateway's own
    /// claims are not allowed.
    public var tokenClaims: [String: JsonValue]
    /// A Boolean value that indicates whether users need not consent if the authorization request has the token of their session in
    /// a header field, for the apps of the server's own operator. The default is `false`.
    public var impliesConsent = false
    /// The installation of an app that registered as a device; `nil` for any other client.
    var installation: AppInstallation?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The identifier in requests.
    ///   - secret: The hash of the secret; `nil` for a client without a secret.
    ///   - metadata: The metadata, such as redirect URIs and grant types.
    ///   - tokenExchangeClients: The identifiers of the other clients whose access tokens it may exchange.
    ///   - tokenClaims: Further claims in its access tokens.
    public init(
        id: String,
        secret: PasswordHash? = nil,
        metadata: ClientMetadata = ClientMetadata(),
        tokenExchangeClients: [String] = [],
        tokenClaims: [String: JsonValue] = [:]
    ) {
        self.id = id
        self.secret = secret
        self.metadata = metadata
        self.tokenExchangeClients = tokenExchangeClients
        self.tokenClaims = tokenClaims
    }

    /// The claims and members that the gateway sets in access tokens and introspection responses.
    static let reservedClaims: Set<String> = [
        "iss", "sub", "aud", "client_id", "scope", "iat", "nbf", "exp", "jti", "auth_time", "acr", "amr", "cnf", "act",
        "active", "token_type", "username",
    ]

    /// The name that users see.
    var name: String { metadata.clientName ?? id }

    /// A Boolean value that indicates whether it does not authenticate, so that any program can claim its identifier.
    var isPublic: Bool { metadata.authenticationMethod == .none }

    /// The scopes that it may request.
    var scopes: [String] { (metadata.scope ?? "openid").split(separator: " ").map(String.init) }

    /// Returns the scopes that it may request with a grant type. They differ only for a device.
    func scopes(_ grantType: GrantType) -> [String] {
        guard let installation else { return scopes }
        return installation.scopes(grantType).filter(scopes.contains)
    }

    func allows(_ grant: GrantType) -> Bool { metadata.grantTypes.contains(grant.rawValue) }
}

extension GatewayClient: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id = "client_id"
        case secret = "client_secret"
        case tokenExchangeClients = "token_exchange_clients"
        case tokenClaims = "token_claims"
        case impliesConsent = "implied_consent"
    }

    /// Decodes a client from one object with its identifier, hashed secret, permissions and metadata.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            secret: try container.decodeIfPresent(PasswordHash.self, forKey: .secret),
            metadata: try ClientMetadata(from: decoder),
            tokenExchangeClients: try container.decodeIfPresent([String].self, forKey: .tokenExchangeClients) ?? [],
            tokenClaims: try container.decodeIfPresent([String: JsonValue].self, forKey: .tokenClaims) ?? [:]
        )
        impliesConsent = try container.decodeIfPresent(Bool.self, forKey: .impliesConsent) ?? impliesConsent
    }
}

/// A grant type of the token endpoint.
enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// An access token for a user who is registered on a device (Docs/resource-server.md).
    case implicitAuthentication = "urn:sallyport:params:oauth:grant-type:implicit-authentication"
}
