import Sallyport

extension OAuthClient {
    /// Signs a person in by a code with PKCE (RFC 6749, section 4.1; RFC 8252).
    ///
    /// ```swift
    /// let tokens = try await client.signIn(with: SystemBrowser())
    /// try await session.save(tokens)
    /// ```
    ///
    /// - Parameters:
    ///   - agent: Shows the server's pages to the person.
    ///   - scopes: What to ask for; else those of the configuration.
    ///   - parameters: Further parameters, such as `prompt`, `login_hint` or `ForceAuth`.
    /// - Throws: ``OAuthError``, such as `access_denied` where the person has said no; `NetworkError`, also where nobody
    ///   answered in time.
    public func signIn(
        with agent: some AuthorizationAgent,
        scopes: [String]? = nil,
        parameters: [String: String] = [:]
    ) async throws -> OAuthTokens {
        let shown = Locked<AuthorizationRequest?>(nil)
        let callback = try await agent.authorize { redirectURI in
            let request = try await authorizationRequest(
                redirectURI: redirectURI,
                scopes: scopes,
                parameters: parameters
            )
            shown.withLock { $0 = request }
            return request
        }
        guard let request = shown.withLock({ $0 }) else {
            throw OAuthError(
                failure: NetworkFailure("the authorization agent returned without asking for a request")
            )
        }
        return try await tokens(from: callback, for: request)
    }
}
