import Sallyport
import SallyportJOSE
import SallyportTransport

/// The metadata of an authorization server: its endpoints and capabilities (RFC 8414, OpenID Connect Discovery).
///
/// If a server does not publish its metadata, create it:
///
/// ```swift
/// config.metadata = ServerMetadata(
///     issuer: "https://id.example.com",
///     authorizationEndpoint: "https://id.example.com/authorize",
///     tokenEndpoint: "https://id.example.com/token"
/// )
/// ```
public struct ServerMetadata: Sendable, Equatable {
    /// All members of the JSON object.
    public var members: [String: JsonValue]

    /// Creates metadata from its members.
    public init(members: [String: JsonValue]) { self.members = members }

    /// Creates metadata from the issuer and the URLs of endpoints.
    public init(
        issuer: String,
        authorizationEndpoint: String? = nil,
        tokenEndpoint: String? = nil,
        jwksURI: String? = nil,
        userInfoEndpoint: String? = nil,
        revocationEndpoint: String? = nil,
        introspectionEndpoint: String? = nil,
        deviceAuthorizationEndpoint: String? = nil,
        endSessionEndpoint: String? = nil
    ) {
        let endpoints: [(ServerEndpoint, String?)] = [
            (.authorization, authorizationEndpoint), (.token, tokenEndpoint), (.keys, jwksURI),
            (.userInfo, userInfoEndpoint), (.revocation, revocationEndpoint), (.introspection, introspectionEndpoint),
            (.deviceAuthorization, deviceAuthorizationEndpoint), (.endSession, endSessionEndpoint),
        ]
        members = ["issuer": .string(issuer)]
        for (endpoint, url) in endpoints { members[endpoint.rawValue] = url.map(JsonValue.string) }
    }

    /// The issuer identifier.
    public var issuer: String { members["issuer"]?.string ?? "" }

    /// The URL of the authorization endpoint.
    public var authorizationEndpoint: String? { self[.authorization] }
    /// The URL of the token endpoint.
    public var tokenEndpoint: String? { self[.token] }
    /// The URL of the server's key set.
    public var jwksURI: String? { self[.keys] }
    /// The URL of the device authorization endpoint.
    public var deviceAuthorizationEndpoint: String? { self[.deviceAuthorization] }

    /// The supported scopes. The server may support more.
    public var scopesSupported: [String]? { strings("scopes_supported") }
    /// The supported grant types. Not every server lists all of them.
    public var grantTypesSupported: [String]? { strings("grant_types_supported") }
    /// The algorithms with which the server signs id_tokens.
    public var idTokenSigningAlgorithms: [String]? { strings("id_token_signing_alg_values_supported") }
    /// The supported PKCE methods.
    public var codeChallengeMethods: [String]? { strings("code_challenge_methods_supported") }
    /// A Boolean value that indicates whether authorization responses contain the issuer (RFC 9207).
    public var authorizationResponseIssParameterSupported: Bool {
        flag("authorization_response_iss_parameter_supported")
    }
    /// A Boolean value that indicates whether authorization requests must be pushed (RFC 9126).
    public var requiresPushedAuthorization: Bool { flag("require_pushed_authorization_requests") }

    subscript(endpoint: ServerEndpoint) -> String? { members[endpoint.rawValue]?.string }

    private func strings(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
    private func flag(_ name: String) -> Bool { members[name]?.bool ?? false }
}

extension ServerMetadata {
    /// Returns the URL of an endpoint.
    ///
    /// - Throws: ``OAuthError`` if the metadata has no such URL, or if secrets must not be sent to it.
    func url(of endpoint: ServerEndpoint) throws(OAuthError) -> String {
        try url(ofEndpoint: endpoint.rawValue)
    }

    /// Returns the URL in a member of the metadata.
    ///
    /// - Throws: ``OAuthError`` if the metadata has no such URL, or if secrets must not be sent to it.
    func url(ofEndpoint name: String) throws(OAuthError) -> String {
        guard let url = members[name]?.string else {
            throw OAuthError(
                failure: NetworkFailure(
                    "the metadata of \(issuer) has no \(name)",
                    advice: SettingAdvice.completeMetadata.rawValue
                )
            )
        }
        if let problem = EndpointAddress.problem(with: url, of: issuer) {
            throw OAuthError(
                failure: NetworkFailure("the \(name) of \(issuer) cannot be used: \(problem)")
            )
        }
        return url
    }
}

extension ServerMetadata {
    /// Returns metadata with the endpoints of a PingAM server.
    ///
    /// - Parameters:
    ///   - base: The server's URL, such as `https://am.example.com/am`.
    ///   - realm: The realm, such as `root/realms/alpha` for a nested one.
    ///   - issuer: The issuer identifier in the server's tokens, if it differs from the base URL of its endpoints.
    public static func pingAM(base: String, realm: String = "root", issuer: String? = nil) -> ServerMetadata {
        let base = base.hasSuffix("/") ? String(base.dropLast()) : base
        let path = realm.split(separator: "/").map { PercentEncoding.query(String($0)) }.joined(separator: "/")
        let root = "\(base)/oauth2/realms/\(path)"
        return ServerMetadata(
            issuer: issuer ?? root,
            authorizationEndpoint: "\(root)/authorize",
            tokenEndpoint: "\(root)/access_token",
            jwksURI: "\(root)/connect/jwk_uri",
            userInfoEndpoint: "\(root)/userinfo",
            revocationEndpoint: "\(root)/token/revoke",
            introspectionEndpoint: "\(root)/introspect",
            deviceAuthorizationEndpoint: "\(root)/device/code",
            endSessionEndpoint: "\(root)/connect/endSession"
        )
    }
}

/// The endpoints of an authorization server, with their names in its metadata.
enum ServerEndpoint: String, Sendable {
    case authorization = "authorization_endpoint"
    case token = "token_endpoint"
    case keys = "jwks_uri"
    case userInfo = "userinfo_endpoint"
    case revocation = "revocation_endpoint"
    case introspection = "introspection_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
    case pushedAuthorization = "pushed_authorization_request_endpoint"
    case registration = "registration_endpoint"
    case endSession = "end_session_endpoint"
}
