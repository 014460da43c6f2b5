/// The kind of operation that a request of the SDK's own performs. It is backed by its name on the wire of interceptors:
/// `action.type == "START_AUTHENTICATE"` and `action.type == .startAuthenticate` say the same.
public struct ActionType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, such as `START_AUTHENTICATE`.
    public let rawValue: String

    /// Makes a kind of one's own, or names one of the SDK's.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a kind of one's own, or names one of the SDK's.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }
}

/// The operations of authentication trees, sessions and push.
extension ActionType {
    /// The first call to an authentication tree.
    public static let startAuthenticate: Self = "START_AUTHENTICATE"
    /// A tree goes on that waited for a link to be opened.
    public static let resumeAuthenticate: Self = "RESUME_AUTHENTICATE"
    /// A further step of an authentication tree.
    public static let authenticate: Self = "AUTHENTICATE"
    /// The session is ended.
    public static let logout: Self = "LOGOUT"
    /// A device is registered for push.
    public static let pushRegister: Self = "PUSH_REGISTER"
    /// A push is answered.
    public static let pushAuthenticate: Self = "PUSH_AUTHENTICATE"
    /// A device's registration for push is renewed.
    public static let pushUpdate: Self = "PUSH_UPDATE"
}

/// The operations of OAuth 2 and OpenID Connect.
extension ActionType {
    /// An authorization is asked for; for a browser's, only the query of its URL can be changed.
    public static let authorize: Self = "AUTHORIZE"
    /// An authorization code is exchanged for tokens.
    public static let exchangeToken: Self = "EXCHANGE_TOKEN"
    /// The tokens are refreshed.
    public static let refreshToken: Self = "REFRESH_TOKEN"
    /// A token is revoked (RFC 7009).
    public static let revokeToken: Self = "REVOKE_TOKEN"
    /// The session at the provider is ended (OpenID Connect RP-Initiated Logout).
    public static let endSession: Self = "END_SESSION"
    /// What the provider knows of the user is asked for.
    public static let userInfo: Self = "USER_INFO"

    /// The server's metadata is read (RFC 8414).
    public static let discover: Self = "DISCOVER"
    /// The server's keys are read (RFC 7517).
    public static let fetchKeys: Self = "FETCH_KEYS"
    /// An authorization request is deposited with the server (RFC 9126).
    public static let pushAuthorization: Self = "PUSH_AUTHORIZATION"
    /// A client asks for a token of its own (RFC 6749, section 4.4).
    public static let clientCredentials: Self = "CLIENT_CREDENTIALS"
    /// A device asks for codes (RFC 8628).
    public static let deviceAuthorization: Self = "DEVICE_AUTHORIZATION"
    /// A device asks whether its code has been approved (RFC 8628).
    public static let deviceToken: Self = "DEVICE_TOKEN"
    /// One token is exchanged for another (RFC 8693).
    public static let tokenExchange: Self = "TOKEN_EXCHANGE"
    /// The server is asked about a token (RFC 7662).
    public static let introspectToken: Self = "INTROSPECT_TOKEN"
    /// A client is registered (RFC 7591).
    public static let registerClient: Self = "REGISTER_CLIENT"
}
