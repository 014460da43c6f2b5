import Sallyport

extension OAuthClient {
    /// Exchanges one token for another (RFC 8693).
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func exchange(_ exchange: TokenExchange) async throws -> ExchangedTokens {
        let scope = exchange.scopes.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") }
        let form =
            fields([
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("subject_token", exchange.subjectToken), ("subject_token_type", exchange.subjectTokenType.rawValue),
                ("actor_token", exchange.actorToken), ("actor_token_type", exchange.actorTokenType?.rawValue),
                ("requested_token_type", exchange.requestedTokenType?.rawValue), ("scope", scope),
            ]) + configuration.resources.map { ("resource", $0) } + exchange.audiences.map { ("audience", $0) }
        let (tokens, answer) = try await askForTokens(
            form,
            .tokenExchange,
            scope: scope,
            proofKey: newProofKey(),
            isOther: true
        )
        return ExchangedTokens(
            tokens: tokens,
            issuedTokenType: answer.issuedTokenType.map(TokenExchange.TokenType.init)
        )
    }
}
