import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// The settings of an ``OAuthClient``, except the issuer and the client identifier.
///
/// ```swift
/// let client = OAuthClient(issuer: "https://id.example.com", clientID: "service") { config in
///     config.authentication = .secretBasic(secret)
///     config.scopes = ["api"]
///     config.httpClient = client
/// }
/// ```
public struct OAuthClientConfiguration: Sendable {
    /// The client authentication.
    public var authentication = ClientAuthentication.none

    /// The scopes to request; `openid` requests an id_token.
    public var scopes: [String] = []

    /// The redirect URI, unless it is passed with each request.
    public var redirectURI: String?

    /// The URIs of the APIs that the tokens are for (RFC 8707).
    public var resources: [String] = []

    /// The API that the tokens are for, on servers that use the parameter `audience` instead of `resource`.
    public var audience: String?

    /// A Boolean value that indicates whether the tokens are bound to a key (DPoP, RFC 9449). If it is `true`, tokens that the
    /// server has not bound to the key are refused.
    public var usesDPoP = false

    /// The condition under which authorization requests are pushed to the server (RFC 9126).
    public var pushedAuthorization = PushedAuthorization.whenOffered

    /// The HTTP client that sends all requests; by default a new one without cookies.
    public var httpClient: HttpClient?

    /// The metadata of a server that does not publish it.
    public var metadata: ServerMetadata?

    /// Header fields to add to every request, such as `accept-api-version`.
    public var headers: [String: String] = [:]

    /// The keys and algorithms to decrypt id_tokens and UserInfo responses, if they are encrypted.
    public var decryption: IdTokenDecryption?

    /// The allowed signature algorithms of id_tokens; by default the asymmetric algorithms in the server's metadata, or else
    /// RS256.
    public var idTokenAlgorithms: Set<SignatureAlgorithm>?

    /// The values of `token_type` besides `Bearer` by which the server means bearer tokens, such as `BearerToken`. Lower and upper case
    /// are equal.
    public var acceptedTokenTypes: Set<String> = []

    /// A Boolean value that indicates whether tokens without a `token_type`, which RFC 6749 requires, are accepted as bearer tokens.
    public var acceptsMissingTokenType = false

    /// The maximum difference between the clocks of the server and this computer when an id_token is validated.
    public var allowedClockSkew = Duration.seconds(60)

    /// The issuer of a server with several tenants, such as `https://login.example.com/{tenantid}/v2.0`, as it is in the server's metadata.
    ///
    /// The id_token of each tenant has its own issuer. It contains the tenant's identifier, the claim `tid`, in place of `{tenantid}`.
    /// Users of all tenants can sign in. If your app is only for some of them, check the ``IdTokenClaims/issuer``.
    public var issuerTemplate: String?

    /// The time source; tests replace it.
    package var clock = TimeSource.system

    /// Creates a configuration with the defaults.
    public init() {}
}

/// The condition under which an authorization request is pushed to the server, so that the browser gets only a reference to it
/// (RFC 9126).
public enum PushedAuthorization: Sendable, Equatable {
    /// Push requests if the server has a pushed authorization request endpoint.
    case whenOffered
    /// Push all requests. If the server has no endpoint for it, they fail.
    case always
    /// Push requests only if the server requires it.
    case never
}
