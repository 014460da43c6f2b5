import Sallyport

extension OAuthClient {
    /// Returns the URL at which a browser ends the session at the provider (OpenID Connect RP-Initiated Logout).
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the session. Their id_token identifies it.
    ///   - redirectURI: The registered URI that the provider redirects the browser to afterwards.
    ///   - state: A value that the provider adds to the redirect URI.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func endSessionURL(
        for tokens: OAuthTokens?,
        redirectURI: String? = nil,
        state: String? = nil
    ) async throws -> String {
        try await preparedURL(
            server.url(of: .endSession),
            endSessionParameters(tokens, redirectURI: redirectURI, state: state),
            .endSession
        )
    }

    /// Ends the session at the provider by sending a request, without a browser. Some providers require the browser's cookies;
    /// use ``endSessionURL(for:redirectURI:state:)`` for these.
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func endSession(for tokens: OAuthTokens) async throws {
        var request = server.request(try await server.url(of: .endSession), .endSession)
        for (name, value) in try endSessionParameters(tokens, redirectURI: nil, state: nil) {
            request.addParameter(name: name, value: value)
        }
        let secrets = [tokens.idToken].compactMap(\.self)
        let response = try OAuthResponse(try await server.httpClient.request(request: request), secrets: secrets)
        if !response.status.isRedirect() { try response.checkSuccess(of: "the request to end the session") }
    }

    /// Returns the parameters. The id_token is decrypted, because the server may have no key to decrypt it.
    private func endSessionParameters(
        _ tokens: OAuthTokens?,
        redirectURI: String?,
        state: String?
    ) throws -> [(String, String)] {
        definedFields([
            ("client_id", clientID), ("id_token_hint", try tokens?.idToken.map(decrypted)),
            ("post_logout_redirect_uri", redirectURI), ("state", state),
        ])
    }
}
