import Sallyport
import SallyportJOSE
import SallyportTransport

/// What an authorization server says of itself: its endpoints and what it can do (RFC 8414, OpenID Connect Discovery).
///
/// A server that does not publish it can be described by hand.
///
/// ```swift
/// config.metadata = ServerMetadata(
///     issuer: "https://id.example.com",
///     authorizationEndpoint: "https://id.example.com/authorize",
///     tokenEndpoint: "https://id.example.com/token"
/// )
/// ```
public struct ServerMetadata: Sendable, Equatable {
    /// All members as they are in the JSON.
    public var members: [String: JsonValue]

    /// Makes metadata of its members.
    public init(members: [String: JsonValue]) { self.members = members }

    /// Describes a server by hand; what it lacks is left out.
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

    /// The server's name.
    public var issuer: String { members["issuer"]?.string ?? "" }

    /// Where a browser is sent to.
    public var authorizationEndpoint: String? { self[.authorization] }
    /// Where tokens come from.
    public var tokenEndpoint: String? { self[.token] }
    /// Where the server's keys are.
    public var jwksURI: String? { self[.keys] }
    /// Where a device asks for codes.
    public var deviceAuthorizationEndpoint: String? { self[.deviceAuthorization] }

    /// The scopes that it knows; it may know more.
    public var scopesSupported: [String]? { texts("scopes_supported") }
    /// The grants that it knows; not every server says all of them.
    public var grantTypesSupported: [String]? { texts("grant_types_supported") }
    /// How it signs id_tokens.
    public var idTokenSigningAlgorithms: [String]? { texts("id_token_signing_alg_values_supported") }
    /// The methods of PKCE that it knows.
    public var codeChallengeMethods: [String]? { texts("code_challenge_methods_supported") }
    /// Whether its answers to authorization requests name it (RFC 9207).
    public var namesItselfInAnswers: Bool { flag("authorization_response_iss_parameter_supported") }
    /// Whether authorization requests have to be deposited (RFC 9126).
    public var requiresPushedAuthorization: Bool { flag("require_pushed_authorization_requests") }

    subscript(endpoint: ServerEndpoint) -> String? { members[endpoint.rawValue]?.string }

    private func texts(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
    private func flag(_ name: String) -> Bool { members[name]?.bool ?? false }
}

extension ServerMetadata {
    /// Returns the URL of an endpoint.
    ///
    /// - Throws: ``OAuthError`` if the metadata has none, or one that secrets must not be sent to.
    func url(of endpoint: ServerEndpoint) throws(OAuthError) -> String {
        guard let url = self[endpoint] else {
            throw OAuthError(
                failure: NetworkFailure(
                    "the metadata of \(issuer) has no \(endpoint.rawValue)",
                    advice: SettingAdvice.completeMetadata.rawValue
                )
            )
        }
        if let problem = EndpointAddress.problem(with: url, of: issuer) {
            throw OAuthError(
                failure: NetworkFailure("the \(endpoint.rawValue) of \(issuer) cannot be used: \(problem)")
            )
        }
        return url
    }
}
