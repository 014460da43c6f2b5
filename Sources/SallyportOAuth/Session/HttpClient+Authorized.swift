import Sallyport

extension HttpClient {
    /// Makes a client that shares this one's connections and configuration, and whose requests carry a session's token.
    ///
    /// It closes with this client; closing it leaves this one open. See ``OAuthAuthentication`` for what it does.
    ///
    /// ```swift
    /// let api = client.authorized(by: session, for: "https://api.example.com")
    /// let response = try await api.request { request in request.url = "https://api.example.com/me" }
    /// ```
    ///
    /// - Parameters:
    ///   - session: Has the tokens.
    ///   - origins: URLs of the servers that may see them; at least one.
    public func authorized(by session: OAuthSession, for origins: String...) -> HttpClient {
        authorized(by: session, for: origins)
    }

    /// Creates a client whose requests carry a session's token; see ``authorized(by:for:)-(_,String...)``.
    public func authorized(by session: OAuthSession, for origins: [String]) -> HttpClient {
        authorized(by: OAuthAuthentication(session, for: origins))
    }

    /// Creates a client whose requests carry a session's token; see ``authorized(by:for:)-(_,String...)``.
    public func authorized(by session: OAuthSession, for origins: OriginSet) -> HttpClient {
        authorized(by: OAuthAuthentication(session, for: origins))
    }

    private func authorized(by authentication: OAuthAuthentication) -> HttpClient {
        derived { configuration in configuration.authentication.insert(authentication, at: 0) }
    }
}
