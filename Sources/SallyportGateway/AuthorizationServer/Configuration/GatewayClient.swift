/// A program that asks the gateway for tokens.
public struct GatewayClient: Sendable, Equatable {
    /// Its name in requests (`client_id`).
    public var id: String
    /// Its secret, hashed; `nil` for one that has none.
    public var secret: PasswordHash?
    /// What it may do.
    public var metadata: ClientMetadata

    /// Makes a client.
    public init(id: String, secret: PasswordHash? = nil, metadata: ClientMetadata = ClientMetadata()) {
        self.id = id
        self.secret = secret
        self.metadata = metadata
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
    }

    /// Reads a client: its name, its hashed secret and what it may do, side by side.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            secret: try container.decodeIfPresent(PasswordHash.self, forKey: .secret),
            metadata: try ClientMetadata(from: decoder)
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
