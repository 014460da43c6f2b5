import Foundation
import SallyportJOSE

/// A gateway for resources, which checks access tokens with an identity server.
///
/// It returns each request that it accepts, like `/echo`, with the claims of its access token.
///
/// ```swift
/// let introspection = IntrospectionEndpoint(
///     url: "https://id.example.com/api/v1/token/introspect", clientID: "gateway", secret: secret, httpClient: client
/// )
/// var configuration = GatewayConfiguration()
/// configuration.resourceServer = ResourceServer(
///     ResourceServerConfiguration(policies: [ResourcePolicy(path: "/accounts", scope: "accounts")]),
///     introspection: introspection
/// )
/// ```
public struct ResourceServer: Sendable {
    /// The scopes that resources need, and the versions that are accepted.
    public let configuration: ResourceServerConfiguration
    private let tokens: any AccessTokenSource

    /// Creates a resource gateway that is separate from the identity server.
    public init(_ configuration: ResourceServerConfiguration, introspection: IntrospectionEndpoint) {
        self.configuration = configuration
        tokens = introspection
    }

    /// Creates the resource gateway of an authorization server in the same process.
    init(_ server: AuthorizationServer) {
        configuration = ResourceServerConfiguration(
            policies: server.configuration.resourcePolicies,
            minimumVersions: server.configuration.minimumVersions
        )
        tokens = server
    }

    /// Returns the claims of a request's access token, if it is valid and has a scope (RFC 6750, section 2.1).
    ///
    /// - Throws: ``OAuthRefusal``, or the error of an identity server that cannot be asked.
    func authorize(_ request: GatewayEndpointRequest, scope: String) async throws -> [String: JsonValue] {
        guard let token = request.credentials("bearer") else {
            throw OAuthRefusal(.invalidToken, "The request needs an access token.")
        }
        guard token.utf8.count <= 16_384, let claims = try await tokens.claims(ofAccessToken: token),
            claims["token_type"]?.string?.lowercased() == "bearer", Self.isForIssuer(claims)
        else {
            throw OAuthRefusal(
                .invalidToken,
                "The access token has expired, has been revoked, is bound to a key, or is not for this resource."
            )
        }
        guard claims["scope"]?.string?.split(separator: " ").contains(where: { $0 == scope }) == true else {
            throw OAuthRefusal(.insufficientScope, "The access token does not have the scope \(scope).")
        }
        return claims
    }

    /// Returns a Boolean value that indicates whether the audience is the server that issued the token, not another one that the token
    /// was exchanged for. The issuer of a realm has a path below that server.
    private static func isForIssuer(_ claims: [String: JsonValue]) -> Bool {
        guard let audience = claims["aud"] else { return true }
        guard let issuer = claims["iss"]?.string else { return false }
        let names = audience.array?.compactMap(\.string) ?? [audience.string].compactMap(\.self)
        return names.contains { issuer == $0 || issuer.hasPrefix($0 + "/") }
    }
}

/// The scopes that resources need, and the versions that are accepted.
public struct ResourceServerConfiguration: Sendable, Equatable, Decodable {
    /// The scopes that resources need.
    public var policies: [ResourcePolicy]
    /// The oldest versions of apps and operating systems that are accepted.
    public var minimumVersions: [MinimumVersions]

    /// Creates a configuration.
    public init(policies: [ResourcePolicy], minimumVersions: [MinimumVersions] = []) {
        self.policies = policies
        self.minimumVersions = minimumVersions
    }

    /// Creates a configuration from JSON: an object with `resource_policies` and `minimum_versions`, as for
    /// ``AuthorizationServerConfiguration/init(json:trees:)``.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` with the path and the kind of the error.
    public init(json: Data) throws(GatewayError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as DecodingError {
            throw .invalidIdentity(error.sentence)
        } catch {
            throw .invalidIdentity("The configuration is not JSON.")
        }
        if let mistake = policies.mistake { throw .invalidIdentity(mistake) }
    }

    private enum CodingKeys: String, CodingKey {
        case policies = "resource_policies"
        case minimumVersions = "minimum_versions"
    }

    /// Decodes a configuration in the format of ``init(json:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            policies: try container.decode([ResourcePolicy].self, forKey: .policies),
            minimumVersions: try container.decodeIfPresent([MinimumVersions].self, forKey: .minimumVersions) ?? []
        )
    }
}

/// A source of information about access tokens.
protocol AccessTokenSource: Sendable {
    /// Returns the introspection response for an active token; `nil` for any other.
    func claims(ofAccessToken token: String) async throws -> [String: JsonValue]?
}

extension AuthorizationServer: AccessTokenSource {}
