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

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The identifier in requests.
    ///   - secret: The hash of the secret; `nil` for a client without a secret.
    ///   - metadata: The metadata, such as redirect URIs and grant types.
    ///   - tokenExchangeClients: The identifiers of the other clients whose access tokens it may exchange.
    public init(
        id: String,
        secret: PasswordHash? = nil,
        metadata: ClientMetadata = ClientMetadata(),
        tokenExchangeClients: [String] = []
    ) {
        self.id = id
        self.secret = secret
        self.metadata = metadata
        self.tokenExchangeClients = tokenExchangeClients
    }

    /// The name that people read.
    var name: String { metadata.clientName ?? id }

    /// Whether it can keep no secret, so that anybody can say to be it.
    var isPublic: Bool { metadata.authenticationMethod == .none }

    /// The scopes that it may ask for.
    var scopes: [String] { (metadata.scope ?? "openid").split(separator: " ").map(String.init) }

    func allows(_ grant: GrantType) -> Bool { metadata.grantTypes.contains(grant.rawValue) }
}

extension GatewayClient: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id = "client_id"
        case secret = "client_secret"
        case tokenExchangeClients = "token_exchange_clients"
    }

    /// Reads a client: its identifier, its hashed secret, its permissions and its metadata, in one object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            secret: try container.decodeIfPresent(PasswordHash.self, forKey: .secret),
            metadata: try ClientMetadata(from: decoder),
            tokenExchangeClients: try container.decodeIfPresent([String].self, forKey: .tokenExchangeClients) ?? []
        )
    }
}

/// How tokens can be had.
enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}
