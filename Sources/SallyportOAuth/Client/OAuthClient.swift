import Foundation
import Sallyport
import SallyportJOSE

/// A client of an authorization server: it brings tokens by every grant of OAuth 2 and by OpenID Connect.
///
/// It keeps no tokens; an ``OAuthSession`` does. Make one and share it.
///
/// ```swift
/// let client = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
///     config.scopes = ["openid", "api"]
///     config.redirectURI = "http://127.0.0.1:8765/callback"
/// }
/// let request = try await client.authorizationRequest()
/// // The person signs in at request.url, and the browser comes back.
/// let tokens = try await client.tokens(from: callbackURL, for: request)
/// ```
///
/// Without a browser there are ``clientCredentialsTokens(scopes:)``, ``deviceAuthorization(scopes:)`` and ``exchange(_:)``.
/// All calls are made with one `HttpClient`, which can be the app's own, and carry their actions, so that its interceptors
/// see and may change them. They follow no redirects.
///
/// Its methods throw ``OAuthError`` for what the server refuses or answers wrongly, and ``NetworkError`` where no answer came.
public final class OAuthClient: Sendable {
    /// What the client is called at the server.
    public let clientID: String
    /// What it has been told.
    public let configuration: OAuthClientConfiguration
    /// The server that it is a client of.
    public let server: OAuthServer

    /// The nonces that the server wants in proofs.
    let nonces = ProofNonces()

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - issuer: The server's name, an `https` URL as its metadata has it.
    ///   - clientID: What the client is called at the server.
    ///   - configuration: All else.
    public init(
        issuer: String,
        clientID: String,
        configuration: OAuthClientConfiguration = OAuthClientConfiguration()
    ) {
        self.clientID = clientID
        self.configuration = configuration
        server = OAuthServer(
            issuer: issuer,
            metadata: configuration.metadata,
            httpClient: configuration.httpClient,
            headers: configuration.headers,
            clock: configuration.clock
        )
    }

    /// Makes a client with what the closure changes of the defaults.
    public convenience init(
        issuer: String,
        clientID: String,
        configure: (inout OAuthClientConfiguration) throws -> Void
    ) rethrows {
        var configuration = OAuthClientConfiguration()
        try configure(&configuration)
        self.init(issuer: issuer, clientID: clientID, configuration: configuration)
    }

    /// The server's name.
    public var issuer: String { server.issuer }

    /// The issuer and the client identifier, which tokens are stored with.
    public var identity: OAuthClientIdentity { OAuthClientIdentity(issuer: issuer, clientID: clientID) }

    var clock: OAuthClock { configuration.clock }

    /// A key for tokens that are about to be asked for, if they are to be bound to one.
    func newProofKey() async throws -> SigningKey? {
        guard configuration.usesDPoP else { return nil }
        return try await convertingErrors(of: "a new key for") { try SigningKey.generate(.es256) }
    }

    /// The APIs that tokens are for, as they stand in a request.
    var targetParameters: [(String, String)] {
        configuration.resources.map { ("resource", $0) } + (configuration.audience.map { [("audience", $0)] } ?? [])
    }
}

extension OAuthClient: CustomStringConvertible {
    /// The client and the server.
    public var description: String { "\(clientID) at \(issuer)" }
}
