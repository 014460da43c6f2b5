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
    ///   - parameters: The parameters of the grant, without those that the client sets: `grant_type`, `scope` and its authentication.
    ///   - scopes: The scopes to request; by default the scopes of the configuration.
    ///   - action: The action type of the request.
    /// - Throws: ``OAuthError``, also for a parameter that the client sets; nothing is then sent. ``NetworkError``.
    public func tokens(
        grantType: String,
        parameters: [String: String],
        scopes: [String]? = nil,
        action: ActionType
    ) async throws -> OAuthTokens {
        if let name = parameters.keys.sorted().first(where: Self.ownParameters.contains) {
            throw OAuthError(
                failure: NetworkFailure(
                    "the parameter \(name) cannot be set for a grant, because the client sets it",
                    advice: "remove it from the parameters; scopes have an argument of their own"
                )
            )
        }
        let scope = scope(scopes)
        let form =
            definedFields([("grant_type", grantType), ("scope", scope)])
            + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + targetParameters
        return try await requestTokens(form, action, scope: scope, proofKey: newProofKey()).tokens
    }

    /// The parameters of token requests that the client sets.
    private static let ownParameters: Set<String> = [
        "grant_type", "scope", "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ]
}
