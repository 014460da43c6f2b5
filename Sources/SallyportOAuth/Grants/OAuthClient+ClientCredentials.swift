import Sallyport

extension OAuthClient {
    /// Brings a token for the client itself (RFC 6749, section 4.4).
    ///
    /// - Parameter scopes: What to ask for; else those of the configuration, without `openid`, which needs a person.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func clientCredentialsTokens(scopes: [String]? = nil) async throws -> OAuthTokens {
        let scope = scope(scopes ?? configuration.scopes.filter { $0 != "openid" })
        let form = fields([("grant_type", "client_credentials"), ("scope", scope)]) + targetParameters
        return try await askForTokens(form, .clientCredentials, scope: scope, proofKey: newProofKey()).tokens
    }
}
