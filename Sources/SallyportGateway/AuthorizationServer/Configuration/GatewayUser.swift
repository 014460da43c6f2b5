import SallyportJOSE

/// Somebody who can sign in at the gateway.
public struct GatewayUser: Sendable, Equatable {
    /// What they type.
    public var username: String
    /// What they type and nobody else knows, hashed.
    public var password: PasswordHash
    /// Their lasting name in tokens (`sub`); the user's name unless given.
    public var subject: String
    /// What else is known of them, by the names of OpenID Connect: `name`, `email`, `email_verified`, …
    public var claims: [String: JsonValue]

    /// Makes a user.
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

    /// What a client learns by the scopes that it was granted (OpenID Connect Core, section 5.4).
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

    /// Reads a user.
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
