import Foundation
import SallyportJOSE

/// An app whose installations can register as devices, with software statements (RFC 7591, section 2.3).
///
/// ```json
/// {"applications": [{
///   "app_identifier": "com.example.app", "app_platforms": ["ios", "macos"],
///   "statement_issuer": "https://releases.example.com", "statement_keys": {"keys": [{"kty": "EC", "crv": "P-256", "x": "…", "y": "…"}]},
///   "user_scopes": ["openid", "accounts"], "device_scopes": ["assets"], "implicit_scopes": ["greeting"]
/// }]}
/// ```
public struct GatewayApplication: Sendable, Equatable {
    /// The identifier of the app (`software_id` of its statements).
    public var identifier: String
    /// The platforms that the app may run on; empty for any.
    public var platforms: [String]
    /// The issuer of its statements (`iss`).
    public var statementIssuer: String
    /// The public keys that verify its statements.
    public var statementKeys: JsonWebKeySet
    /// The scopes that a user can grant to a device.
    public var userScopes: [String]
    /// The scopes of the tokens of a device itself. Scopes for user data, such as `openid`, are never part of these tokens.
    public var deviceScopes: [String]
    /// The scopes of the tokens that a device gets for a registered user without interaction.
    public var implicitScopes: [String]

    /// Creates an app.
    public init(
        identifier: String,
        platforms: [String] = [],
        statementIssuer: String,
        statementKeys: JsonWebKeySet,
        userScopes: [String] = ["openid"],
        deviceScopes: [String] = [],
        implicitScopes: [String] = []
    ) {
        self.identifier = identifier
        self.platforms = platforms
        self.statementIssuer = statementIssuer
        self.statementKeys = statementKeys
        self.userScopes = userScopes
        self.deviceScopes = deviceScopes
        self.implicitScopes = implicitScopes
    }

    /// All scopes of its devices, without repetitions.
    var scopes: [String] { (userScopes + deviceScopes + implicitScopes).uniqued }

    /// Returns the first error in the app's settings, or `nil`.
    var mistake: String? {
        guard AppVersions.isWord(identifier) else {
            return "The app_identifier must consist of letters, digits, dots, hyphens and underscores."
        }
        if statementKeys.keys.isEmpty { return "The app \(identifier) has no key in statement_keys." }
        let identityScopes = ["openid", "offline_access"]
        if let scope = implicitScopes.first(where: identityScopes.contains) {
            return "The app \(identifier): the scope \(scope) needs a login (implicit_scopes)."
        }
        return nil
    }
}

extension GatewayApplication: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case identifier = "app_identifier"
        case platforms = "app_platforms"
        case statementIssuer = "statement_issuer"
        case statementKeys = "statement_keys"
        case userScopes = "user_scopes"
        case deviceScopes = "device_scopes"
        case implicitScopes = "implicit_scopes"
    }

    /// Decodes an app. Unknown members are refused.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self, of: "applications")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func scopes(_ key: CodingKeys) throws -> [String] {
            try container.decodeIfPresent([String].self, forKey: key) ?? []
        }
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            platforms: try container.decodeIfPresent([String].self, forKey: .platforms) ?? [],
            statementIssuer: try container.decode(String.self, forKey: .statementIssuer),
            statementKeys: try container.decode(JsonWebKeySet.self, forKey: .statementKeys),
            userScopes: try scopes(.userScopes),
            deviceScopes: try scopes(.deviceScopes),
            implicitScopes: try scopes(.implicitScopes)
        )
    }
}

/// A version of an app on a platform, as its software statement states it.
struct AppInstallation: Sendable, Equatable {
    let application: GatewayApplication
    let version: String
    let platform: String

    /// The claims in access tokens and introspection responses.
    var tokenClaims: [String: JsonValue] {
        [
            "app_identifier": .string(application.identifier), "app_version": .string(version),
            "app_platform": .string(platform),
        ]
    }

    /// Returns the scopes of tokens for a grant type.
    func scopes(_ grantType: GrantType) -> [String] {
        switch grantType {
        case .clientCredentials: application.deviceScopes
        case .implicitAuthentication: application.implicitScopes
        default: application.userScopes
        }
    }
}
