import Sallyport

extension ActionType {
    /// Whether it is one of the calls of an ``OAuthClient``, which bring the credentials that they need.
    var isOfOAuth: Bool { Self.ofOAuth.contains(self) }

    private static let ofOAuth: Set<ActionType> = [
        .authorize, .exchangeToken, .refreshToken, .revokeToken, .endSession, .userInfo, .discover, .fetchKeys,
        .pushAuthorization, .clientCredentials, .deviceAuthorization, .deviceToken, .tokenExchange, .introspectToken,
        .registerClient,
    ]
}
