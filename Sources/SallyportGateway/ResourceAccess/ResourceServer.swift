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

    /// Returns the claims of a request's access token; `nil` for a resource that needs none.
    func authorize(_ request: GatewayEndpointRequest) async throws(ResourceRefusal) -> [String: JsonValue]? {
        let scope: String?
        do throws(OAuthRefusal) {
            scope = try policy(for: request.path).scope
            try configuration.minimumVersions.check(request.userAgent)
        } catch {
            throw ResourceRefusal(error)
        }
        guard let scope else { return nil }
        do {
            return try await claims(of: request, scope: scope)
        } catch let refusal as OAuthRefusal {
            let hasToken = request.credentials("bearer") != nil
            throw ResourceRefusal(refusal, challenge: refusal.bearerChallenge(scope: scope, hasToken: hasToken))
        } catch {
            let refusal = OAuthRefusal(.temporarilyUnavailable, "The access token cannot be checked at the moment.")
            throw ResourceRefusal(refusal, cause: error)
        }
    }

    /// Returns the policy for a path that begins with `/resources`.
    private func policy(for path: String) throws(OAuthRefusal) -> ResourcePolicy {
        let segments: [[UInt8]]
        do throws(AmbiguousPath) {
            segments = try path.pathSegments()
        } catch {
            throw OAuthRefusal(.invalidRequest, error.description)
        }
        guard let policy = configuration.policies.policy(for: segments.dropFirst()) else {
            throw OAuthRefusal(.notFound, "There is no resource at this path.")
        }
        return policy
    }

    /// Returns the claims of a request's access token, if it is valid and has a scope (RFC 6750, section 2.1).
    ///
    /// Unlike ``ProtectedResources``, it has only the introspection response and no state of the identity server, so it
    /// accepts no tokens that are bound to keys.
    ///
    /// - Throws: ``OAuthRefusal``, or the error of an identity server that cannot be asked.
    private func claims(of request: GatewayEndpointRequest, scope: String) async throws -> [String: JsonValue] {
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
    ///
    /// A client that exchanges a token chooses the audience, so the beginning of the issuer must be a URL with a host.
    private static func isForIssuer(_ claims: [String: JsonValue]) -> Bool {
        guard let audience = claims["aud"] else { return true }
        guard let issuer = claims["iss"]?.string else { return false }
        let names = audience.array?.compactMap(\.string) ?? [audience.string].compactMap(\.self)
        return names.contains { name in
            let hasHost = URLComponents(string: name)?.host?.isEmpty == false
            return issuer == name || hasHost && issuer.hasPrefix(name + "/")
        }
    }
}

/// The refusal of a request for a resource.
struct ResourceRefusal: Error {
    let refusal: OAuthRefusal
    /// The value of `WWW-Authenticate`, if a token was missing or refused.
    let challenge: String?
    /// The reason why the identity server could not check the token, for the log; `nil` if the request is the reason.
    let cause: (any Error)?

    init(_ refusal: OAuthRefusal, challenge: String? = nil, cause: (any Error)? = nil) {
        self.refusal = refusal
        self.challenge = challenge
        self.cause = cause
    }

    /// The status code of the response.
    var status: Int {
        [.outdatedApp, .outdatedSystem].contains(refusal.code) ? 403 : refusal.status
    }
}

/// The scopes that resources need, and the versions that are accepted.
public struct ResourceServerConfiguration: Sendable, Equatable {
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
        self = try Self.decoded(from: json)
        if let mistake { throw .invalidIdentity(mistake) }
    }

    /// The first error in the configuration, or `nil`.
    var mistake: String? { policies.mistake ?? minimumVersions.mistake }
}

extension ResourceServerConfiguration: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case policies = "resource_policies"
        case minimumVersions = "minimum_versions"
    }

    /// Decodes a configuration in the format of ``init(json:)``. Unknown members are refused.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self)
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
