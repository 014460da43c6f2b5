import Sallyport
import SallyportStorage

/// Shows the server's sign-in pages to a person, and returns the URL that the server redirects them to.
///
/// `SystemBrowser` (in SallyportLoopback) is the agent for Linux and macOS, `WebAuthenticationSession` the one for Apple
/// platforms. An app that shows web pages differently conforms a type of its own:
///
/// ```swift
/// struct EmbeddedBrowser: AuthorizationAgent {
///     func authorize(
///         _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
///     ) async throws -> String {
///         let request = try await makeRequest("com.example.app:/callback")
///         return try await show(request.url, untilRedirectedTo: request.redirectURI, withState: request.state)
///     }
/// }
/// ```
public protocol AuthorizationAgent: Sendable {
    /// Shows the pages of the authorization endpoint until the server redirects the person back.
    ///
    /// Any app or page may call the redirect URI. An agent that can tell callbacks apart ignores those whose `state` is
    /// not that of the request, and keeps waiting. The state is not part of the request's URL if the request was pushed
    /// to the server (RFC 9126).
    ///
    /// - Parameter makeRequest: A closure that makes the request to show, from the redirect URI at which this agent receives
    ///   callbacks.
    /// - Returns: The redirect URI as the server called it, including the query with the response.
    /// - Throws: ``NetworkError/timeout(_:)`` if no callback was received in time, ``NetworkError/cancelled(_:)`` if the person
    ///   or the task cancelled, and the errors of `makeRequest`.
    func authorize(
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> String
}

extension OAuthClient {
    /// Signs a person in with an authorization code and PKCE (RFC 6749, section 4.1; RFC 8252).
    ///
    /// ```swift
    /// let tokens = try await client.signIn(with: agent)
    /// try await session.save(tokens)
    /// ```
    ///
    /// - Parameters:
    ///   - agent: The agent that shows the server's pages to the person, such as a `WebAuthenticationSession`.
    ///   - scopes: The scopes to request; by default those of the configuration.
    ///   - parameters: Further parameters, such as `prompt`, `login_hint` or `ForceAuth`.
    /// - Throws: ``OAuthError``, such as `access_denied` if the person has refused; `NetworkError`, also if no callback was
    ///   received in time.
    public func signIn(
        with agent: some AuthorizationAgent,
        scopes: [String]? = nil,
        parameters: [String: String] = [:]
    ) async throws -> OAuthTokens {
        let madeRequest = Locked<AuthorizationRequest?>(nil)
        let callback = try await agent.authorize { redirectURI in
            let request = try await authorizationRequest(
                redirectURI: redirectURI,
                scopes: scopes,
                parameters: parameters
            )
            madeRequest.withLock { $0 = request }
            return request
        }
        guard let request = madeRequest.withLock({ $0 }) else {
            throw OAuthError(
                failure: NetworkFailure("the authorization agent returned without asking for a request")
            )
        }
        return try await tokens(from: callback, for: request)
    }
}
