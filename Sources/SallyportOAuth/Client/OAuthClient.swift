import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// A client of an authorization server: it requests tokens with the grants of OAuth 2 and OpenID Connect.
///
/// It does not store tokens; an ``OAuthSession`` does. Create one client and share it.
///
/// ```swift
/// let client = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
///     config.scopes = ["openid", "api"]
///     config.redirectURI = "http://127.0.0.1:8765/callback"
/// }
/// let request = try await client.authorizationRequest()
/// // The user signs in at request.url, and the server redirects the browser to callbackURL.
/// let tokens = try await client.tokens(from: callbackURL, for: request)
/// ```
///
/// ``clientCredentialsTokens(scopes:)``, ``deviceAuthorization(scopes:)`` and ``exchange(_:)`` need no browser. Neither does
/// ``tokens(authorizedBy:redirectURI:scopes:parameters:)``, if the app has a session at the server.
///
/// All requests are sent with ``OAuthClientConfiguration/httpClient``. Each carries an `Action`, so that interceptors can
/// recognize and change it. Redirects are not followed.
///
/// The methods throw ``OAuthError`` for refusals and invalid responses of the server, and ``NetworkError`` if there was no
/// response.
public final class OAuthClient: Sendable {
    /// The client identifier.
    public let clientID: String
    /// The settings.
    public let configuration: OAuthClientConfiguration
    /// The authorization server.
    public let server: OAuthServer

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server, an `https` URL exactly as in the server's metadata.
    ///   - clientID: The client identifier.
    ///   - configuration: The settings.
    public init(
        issuer: String,
        clientID: String,
        configuration: OAuthClientConfiguration = OAuthClientConfiguration()
    ) {
        self.clientID = clientID
        self.configuration = configuration
        server = OAuthServer(issuer: issuer, configuration)
    }

    /// Creates a client and configures it with a closure, which receives the default settings.
    public convenience init(
        issuer: String,
        clientID: String,
        configure: (inout OAuthClientConfiguration) throws -> Void
    ) rethrows {
        var configuration = OAuthClientConfiguration()
        try configure(&configuration)
        self.init(issuer: issuer, clientID: clientID, configuration: configuration)
    }

    /// The issuer identifier of the server.
    public var issuer: String { server.issuer }

    /// The issuer and the client identifier. They are stored with the tokens.
    public var identity: OAuthClientIdentity { OAuthClientIdentity(issuer: issuer, clientID: clientID) }

    var clock: TimeSource { configuration.clock }

    /// Returns a new key for the tokens of a request, or `nil` if tokens are not bound to a key.
    func newProofKey() async throws -> SigningKey? {
        guard configuration.usesDPoP else { return nil }
        return try await server.convertingErrors(of: "a new key for") { try SigningKey.generate(.es256) }
    }

    /// The request parameters for the APIs that the tokens are for (`resource` and `audience`).
    var targetParameters: [(String, String)] {
        configuration.resources.map { ("resource", $0) } + (configuration.audience.map { [("audience", $0)] } ?? [])
    }
}

extension OAuthClient: CustomStringConvertible {
    /// The client identifier and the issuer.
    public var description: String { "\(clientID) at \(issuer)" }
}
