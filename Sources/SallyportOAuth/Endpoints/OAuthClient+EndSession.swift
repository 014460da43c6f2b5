import Sallyport

extension OAuthClient {
    /// Makes the URL at which a browser ends the session at the provider (OpenID Connect RP-Initiated Logout).
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the session, whose id_token says which it is.
    ///   - redirectURI: Where the browser is sent afterwards; it has to be registered.
    ///   - state: Comes back with the browser.
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

    /// Ends the session at the provider by a call, for providers that do so without the browser's cookies.
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func endSession(for tokens: OAuthTokens) async throws {
        var request = server.request(try await server.url(of: .endSession), .endSession)
        for (name, value) in try endSessionParameters(tokens, redirectURI: nil, state: nil) {
            request.setParameter(name: name, value: value)
        }
        let secrets = [tokens.idToken].compactMap(\.self)
        let response = try OAuthResponse(try await server.httpClient.request(request: request), secrets: secrets)
        guard response.status.isSuccess() || response.status.isRedirect() else {
            throw response.refusal(of: "to end the session")
        }
    }

    /// The hint is the id_token as it was signed: a server need not be able to decrypt what it encrypted to the client.
    private func endSessionParameters(
        _ tokens: OAuthTokens?,
        redirectURI: String?,
        state: String?
    ) throws -> [(String, String)] {
        fields([
            ("client_id", clientID), ("id_token_hint", try tokens?.idToken.map(decrypted)),
            ("post_logout_redirect_uri", redirectURI), ("state", state),
        ])
    }
}
