import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// The settings of a client of an authorization server, besides the issuer and the client identifier.
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

    /// The APIs that the tokens are for (RFC 8707).
    public var resources: [String] = []

    /// The API that the tokens are for, for servers with the parameter `audience`.
    public var audience: String?

    /// A Boolean value that indicates whether the tokens are bound to a key (RFC 9449). Tokens that the server has not bound are
    /// refused.
    public var usesDPoP = false

    /// The condition under which authorization requests are pushed to the server (RFC 9126).
    public var pushedAuthorization = PushedAuthorization.whenOffered

    /// The client that sends all requests, and whose interceptors see them; by default one without cookies.
    public var httpClient: HttpClient?

    /// The metadata of a server that does not publish it.
    public var metadata: ServerMetadata?

    /// Header fields of every request, such as `accept-api-version`.
    public var headers: [String: String] = [:]

    /// The keys and algorithms to decrypt id_tokens and UserInfo responses, if they are encrypted.
    public var decryption: IdTokenDecryption?

    /// The allowed signature algorithms of id_tokens; by default the asymmetric ones in the server's metadata, or else RS256.
    public var idTokenAlgorithms: Set<SignatureAlgorithm>?

    /// The time source; tests replace it.
    package var clock = TimeSource.system

    /// Creates a configuration with the defaults.
    public init() {}
}

/// The condition under which an authorization request is pushed to the server, so that the browser gets only a reference to it
/// (RFC 9126).
public enum PushedAuthorization: Sendable, Equatable {
    /// Push requests if the server has an endpoint for it.
    case whenOffered
    /// Push all requests; it is an error if the server has no endpoint for it.
    case always
    /// Push requests only if the server demands it.
    case never
}
