import SallyportJOSE

/// A user of the gateway's authorization server.
public struct GatewayUser: Sendable, Equatable {
    /// The name for signing in.
    public var username: String
    /// The hash of the password.
    public var password: PasswordHash
    /// The subject identifier in tokens (`sub`). The default is the user name.
    public var subject: String
    /// The claims about the user, such as `name`, `email` and `email_verified`.
    public var claims: [String: JsonValue]

    /// Creates a user.
    public init(
        username: String,
        password: PasswordHash,
        subject: String? = nil,
        claims: [String: JsonValue] = [:]
    ) {
        self.username = username
        self.password = password
        self.subject = subject ?? username
        self.claims = claims
    }

    /// Returns the claims that scopes give access to (OpenID Connect Core, section 5.4).
    func claims(for scopes: [String]) -> [String: JsonValue] {
        var released = claims.filter { name, _ in
            scopes.contains { scope in Self.names[scope]?.contains(name) == true }
        }
        if scopes.contains("profile") { released["preferred_username"] = .string(username) }
        return released
    }

    private static let names: [String: Set<String>] = [
        "profile": [
            "name", "family_name", "given_name", "middle_name", "nickname", "profile", "picture", "website", "gender",
            "birthdate", "zoneinfo", "locale", "updated_at",
        ],
        "email": ["email", "email_verified"],
    ]
}

extension GatewayUser: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case username, password, subject, claims
    }

    /// Decodes a user.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            username: try container.decode(String.self, forKey: .username),
            password: try container.decode(PasswordHash.self, forKey: .password),
            subject: try container.decodeIfPresent(String.self, forKey: .subject),
            claims: try container.decodeIfPresent([String: JsonValue].self, forKey: .claims) ?? [:]
        )
    }
}
