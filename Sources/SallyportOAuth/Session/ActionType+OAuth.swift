import Sallyport

/// The action types of OAuth 2 and OpenID Connect.
extension ActionType {
    /// An authorization request. If a browser sends it, only the query of its URL can be changed.
    public static let authorize: Self = "AUTHORIZE"
    /// The exchange of an authorization code for tokens.
    public static let exchangeToken: Self = "EXCHANGE_TOKEN"
    /// A refresh of tokens.
    public static let refreshToken: Self = "REFRESH_TOKEN"
    /// The revocation of a token (RFC 7009).
    public static let revokeToken: Self = "REVOKE_TOKEN"
    /// The end of the session at the provider (OpenID Connect RP-Initiated Logout).
    public static let endSession: Self = "END_SESSION"
    /// A request for claims about the user (OpenID Connect Core, section 5.3).
    public static let userInfo: Self = "USER_INFO"

    /// A request for the server's metadata (RFC 8414).
    public static let discover: Self = "DISCOVER"
    /// A request for the server's public keys (RFC 7517).
    public static let fetchKeys: Self = "FETCH_KEYS"
    /// A pushed authorization request (RFC 9126).
    public static let pushedAuthorizationRequest: Self = "PUSH_AUTHORIZATION"
    /// A request for tokens with the client's own credentials (RFC 6749, section 4.4).
    public static let clientCredentials: Self = "CLIENT_CREDENTIALS"
    /// A device's request for codes (RFC 8628).
    public static let deviceAuthorization: Self = "DEVICE_AUTHORIZATION"
    /// A device's request for tokens, repeated until its code has been approved (RFC 8628).
    public static let deviceToken: Self = "DEVICE_TOKEN"
    /// An exchange of one token for another (RFC 8693).
    public static let tokenExchange: Self = "TOKEN_EXCHANGE"
    /// An introspection of a token (RFC 7662).
    public static let introspectToken: Self = "INTROSPECT_TOKEN"
    /// A request to create, read or delete a client registration (RFC 7591, RFC 7592).
    public static let registerClient: Self = "REGISTER_CLIENT"
}
