/// One token that is exchanged for another (RFC 8693). Printing it shows no token.
///
/// ```swift
/// let exchange = TokenExchange(subjectToken: tokens.accessToken, audience: "https://billing.example.com")
/// let exchanged = try await client.exchange(exchange)
/// ```
public struct TokenExchange: Sendable {
    /// The kind of a token.
    public struct TokenType: RawRepresentable, Sendable, Hashable {
        /// The URI that names it.
        public let rawValue: String
        /// Names a kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An access token.
        public static let accessToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:access_token")
        /// A refresh token.
        public static let refreshToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
        /// An id_token.
        public static let idToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:id_token")
        /// Any JWT.
        public static let jwt = TokenType(rawValue: "urn:ietf:params:oauth:token-type:jwt")
    }

    /// The token of the party on whose behalf it is asked.
    public var subjectToken: String
    /// What kind of token that is.
    public var subjectTokenType: TokenType
    /// The token of the party that acts.
    public var actorToken: String?
    /// What kind of token that is.
    public var actorTokenType: TokenType?
    /// What kind of token is wanted.
    public var requestedTokenType: TokenType?
    /// The names of the services that it is for.
    public var audiences: [String]
    /// The scopes that are asked for.
    public var scopes: [String]?

    /// Makes an exchange.
    public init(
        subjectToken: String,
        subjectTokenType: TokenType = .accessToken,
        actorToken: String? = nil,
        actorTokenType: TokenType? = nil,
        requestedTokenType: TokenType? = nil,
        audience: String? = nil,
        scopes: [String]? = nil
    ) {
        self.subjectToken = subjectToken
        self.subjectTokenType = subjectTokenType
        self.actorToken = actorToken
        self.actorTokenType = actorTokenType ?? (actorToken == nil ? nil : .accessToken)
        self.requestedTokenType = requestedTokenType
        audiences = audience.map { [$0] } ?? []
        self.scopes = scopes
    }
}

extension TokenExchange: CustomStringConvertible, CustomReflectable {
    /// The kinds, without any token.
    public var description: String { "exchange of \(subjectTokenType.rawValue)" }

    /// The same as ``description``, so that dumping shows no token either.
    public var customMirror: Mirror { Mirror(self, children: ["exchange": description], displayStyle: .struct) }
}

/// What a token was exchanged for.
public struct ExchangedTokens: Sendable {
    /// The tokens; the access token is of the kind below.
    public let tokens: OAuthTokens
    /// What kind of token was issued, if the server said.
    public let issuedTokenType: TokenExchange.TokenType?
}
