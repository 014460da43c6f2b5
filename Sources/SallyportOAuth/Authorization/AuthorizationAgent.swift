import Sallyport

/// A type that shows the server's sign-in pages to the user and receives the authorization response.
///
/// `SystemBrowser` (in SallyportLoopback) is the agent for Linux and macOS, `WebAuthenticationSession` the agent for Apple
/// platforms. To show the pages differently, implement this protocol:
///
/// ```swift
/// struct EmbeddedBrowser: AuthorizationAgent {
///     func authorize(
///         _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
///     ) async throws -> AuthorizationResponse {
///         let request = try await makeRequest("com.example.app:/callback")
///         let url = try await show(request.url, untilRedirectedTo: request.redirectURI, withState: request.state)
///         return AuthorizationResponse(url: url, request: request)
///     }
/// }
/// ```
public protocol AuthorizationAgent: Sendable {
    /// Shows the pages of the authorization endpoint until the server redirects the user back.
    ///
    /// Any app or web page can call the redirect URI. If an agent can receive several callbacks, it should ignore a callback if
    /// its `state` differs from ``AuthorizationRequest/state``, and continue to wait. Do not read the state from the request's
    /// URL, which does not contain it if the request was pushed to the server (RFC 9126).
    ///
    /// - Parameter makeRequest: A closure that creates the authorization request. Pass the redirect URI at which the agent
    ///   receives callbacks.
    /// - Returns: The request, and the callback URL with the response in its query.
    /// - Throws: ``NetworkError/timeout(_:)`` if no callback was received in time, ``NetworkError/cancelled(_:)`` if the user
    ///   or the task cancelled, and the errors of `makeRequest`.
    func authorize(
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationResponse
}

/// The response to an authorization request, in the URL that the server redirected to (RFC 6749, section 4.1.2).
///
/// Its description contains no code.
///
/// ```swift
/// return AuthorizationResponse(url: callbackURL, request: request)
/// ```
public struct AuthorizationResponse: Sendable {
    /// The callback URL: the redirect URI with the query that the server added. It has not been validated.
    public let url: String
    /// The request that was shown to the user.
    public let request: AuthorizationRequest

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - url: The callback URL: the redirect URI with the query that the server added.
    ///   - request: The request that was shown to the user.
    public init(url: String, request: AuthorizationRequest) {
        self.url = url
        self.request = request
    }
}

extension AuthorizationResponse: CustomStringConvertible, CustomReflectable {
    /// The redirect URI, without the code.
    public var description: String { "authorization response at \(request.redirectURI)" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["response": description], displayStyle: .struct) }
}

extension OAuthClient {
    /// Signs a user in with an authorization code and PKCE (RFC 6749, section 4.1; RFC 8252).
    ///
    /// ```swift
    /// let tokens = try await client.signIn(with: agent)
    /// try await session.save(tokens)
    /// ```
    ///
    /// - Parameters:
    ///   - agent: The agent that shows the server's pages to the user, such as a `WebAuthenticationSession`.
    ///   - scopes: The scopes to request; by default the scopes of the configuration.
    ///   - parameters: Further parameters, such as `prompt`, `login_hint` or `ForceAuth`.
    /// - Throws: ``OAuthError``, such as `access_denied` if the user has refused; `NetworkError`, for example if no callback was
    ///   received in time.
    public func signIn(
        with agent: some AuthorizationAgent,
        scopes: [String]? = nil,
        parameters: [String: String] = [:]
    ) async throws -> OAuthTokens {
        let response = try await agent.authorize { redirectURI in
            try await authorizationRequest(redirectURI: redirectURI, scopes: scopes, parameters: parameters)
        }
        return try await tokens(from: response.url, for: response.request)
    }
}
