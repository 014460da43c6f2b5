#if canImport(AuthenticationServices)
import AuthenticationServices
import Sallyport
import SallyportOAuth

/// The user's account: signs in and out, and provides the client that calls the API.
///
/// Create one when the app starts, and pass it to the views.
public final class Account: Sendable {
    /// The articles of the API, called with the user's tokens.
    public let articles: Articles
    private let server: OAuthClient
    private let session: OAuthSession

    /// Creates the account. The tokens of an earlier run are in the keychain.
    ///
    /// - Throws: `NetworkServiceError` if the URL of the API is invalid.
    public init(_ settings: Settings) throws {
        let http = HttpClient.createClient { config in
            config.retry = .exponential(attempts: 3)
            config.onRequest { request in
                request.setHeader(name: "Accept-Language", value: settings.language)
            }
        }
        server = OAuthClient(issuer: settings.issuer, clientID: settings.clientID) { config in
            config.scopes = ["openid", "profile", "offline_access", "articles"]
            config.usesDPoP = true  // the tokens are useless without the key of this device
            config.httpClient = http
        }
        session = OAuthSession(refresher: server, store: KeychainTokenStore(service: settings.clientID))
        articles = try Articles(baseURL: settings.api, client: http.authorized(by: session, for: settings.api))
    }

    /// Returns `true` if the user has signed in.
    public func isSignedIn() async throws -> Bool {
        try await session.current() != nil
    }

    /// Shows the sign-in sheet of the system, and stores the tokens.
    ///
    /// - Parameter window: A closure that returns the window to show the sheet over.
    public func signIn(over window: @escaping @MainActor @Sendable () -> ASPresentationAnchor) async throws {
        let sheet = WebAuthenticationSession(redirectURI: "com.example.phone:/callback", anchor: window)
        try await session.save(try await server.signIn(with: sheet))
    }

    /// Revokes the tokens and removes them from the keychain.
    public func signOut() async throws {
        _ = try await session.logout()
    }
}
#endif
