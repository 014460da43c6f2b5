import SallyportOAuth

/// A type that signs a user in with the client of a registered device; see ``DeviceIdentity/registerUser(with:scopes:)``.
///
/// ``BrowserSignIn`` shows the server's pages. An app that signs users in with authentication trees implements this protocol by a
/// `Journey` of SallyportJourney. With payload encryption, the trees need another server than the one at `resourceBaseURL`, because the
/// encryption does not protect the header with the session.
///
/// ```swift
/// struct NotSignedIn: Error {}
///
/// struct JourneySignIn: DeviceSignIn {
///     let journey: Journey
///
///     func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
///         guard let session = try await journey.session() else { throw NotSignedIn() }
///         let credential = SessionCredential.header(name: journey.configuration.cookieName, value: session.token)
///         return try await client.tokens(authorizedBy: credential, scopes: scopes)
///     }
/// }
/// ```
public protocol DeviceSignIn: Sendable {
    /// Signs a user in, and returns the tokens that the client received.
    ///
    /// - Parameters:
    ///   - client: The client of the device. Its tokens register the user on the device.
    ///   - scopes: The scopes to request, including `openid`.
    /// - Returns: Tokens with an id_token.
    func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens
}

/// Signs a user in with the pages of the server.
///
/// ```swift
/// let user = try await identity.registerUser(with: BrowserSignIn(SystemBrowser()), scopes: ["accounts"])
/// ```
public struct BrowserSignIn<Agent: AuthorizationAgent>: DeviceSignIn {
    private let agent: Agent
    private let parameters: [String: String]

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - agent: The agent that shows the pages.
    ///   - parameters: Further parameters of the authorization request, such as `prompt` or `login_hint`.
    public init(_ agent: Agent, parameters: [String: String] = [:]) {
        self.agent = agent
        self.parameters = parameters
    }

    /// Shows the pages, and exchanges the authorization code for tokens.
    public func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
        try await client.signIn(with: agent, scopes: scopes, parameters: parameters)
    }
}
