import Sallyport

extension OAuthClient {
    /// Requests tokens with a grant that this module does not define (RFC 6749, section 4.5).
    ///
    /// ```swift
    /// let tokens = try await client.tokens(
    ///     grantType: "urn:ietf:params:oauth:grant-type:saml2-bearer",
    ///     parameters: ["assertion": assertion],
    ///     action: "SAML_BEARER"
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - grantType: The URI of the grant (`grant_type`).
    ///   - parameters: The parameters of the grant.
    ///   - scopes: The scopes to request; by default the scopes of the configuration.
    ///   - action: The action type of the request.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func tokens(
        grantType: String,
        parameters: [String: String],
        scopes: [String]? = nil,
        action: ActionType
    ) async throws -> OAuthTokens {
        let scope = scope(scopes)
        let form =
            definedFields([("grant_type", grantType), ("scope", scope)])
            + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + targetParameters
        return try await requestTokens(form, action, scope: scope, proofKey: newProofKey()).tokens
    }
}
