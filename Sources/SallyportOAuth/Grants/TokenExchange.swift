import Sallyport

/// A request to exchange one token for another (RFC 8693). Its description contains no token.
///
/// ```swift
/// let exchange = TokenExchange(subjectToken: tokens.accessToken, audience: "https://billing.example.com")
/// let exchanged = try await client.exchange(exchange)
/// ```
public struct TokenExchange: Sendable {
    /// The type of a token.
    public struct TokenType: RawRepresentable, Sendable, Hashable {
        /// The URI of the type.
        public let rawValue: String
        /// Creates a type from its URI.
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

    /// The token of the party on whose behalf the request is made (`subject_token`).
    public var subjectToken: String
    /// The type of the subject token.
    public var subjectTokenType: TokenType
    /// The token of the acting party (`actor_token`).
    public var actorToken: String?
    /// The type of the actor token.
    public var actorTokenType: TokenType?
    /// The type of the requested token.
    public var requestedTokenType: TokenType?
    /// The logical names of the services that the requested token is for (`audience`).
    public var audiences: [String]
    /// The requested scopes.
    public var scopes: [String]?

    /// Creates a request. The default type of an actor token is ``TokenType/accessToken``.
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
    /// The type of the subject token, without any token.
    public var description: String { "exchange of \(subjectTokenType.rawValue)" }

    /// The same as ``description``, so that `dump` prints no token either.
    public var customMirror: Mirror { Mirror(self, children: ["exchange": description], displayStyle: .struct) }
}

/// The result of a token exchange.
public struct ExchangedTokens: Sendable {
    /// The tokens; the access token has the type ``issuedTokenType``.
    public let tokens: OAuthTokens
    /// The type of the issued token, if the server stated it.
    public let issuedTokenType: TokenExchange.TokenType?
}

extension OAuthClient {
    /// Exchanges one token for another (RFC 8693).
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func exchange(_ exchange: TokenExchange) async throws -> ExchangedTokens {
        let scope = exchange.scopes.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") }
        let form =
            definedFields([
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("subject_token", exchange.subjectToken), ("subject_token_type", exchange.subjectTokenType.rawValue),
                ("actor_token", exchange.actorToken), ("actor_token_type", exchange.actorTokenType?.rawValue),
                ("requested_token_type", exchange.requestedTokenType?.rawValue), ("scope", scope),
            ]) + configuration.resources.map { ("resource", $0) } + exchange.audiences.map { ("audience", $0) }
        let (tokens, response) = try await requestTokens(
            form,
            .tokenExchange,
            scope: scope,
            proofKey: newProofKey(),
            allowsOtherTokens: true
        )
        return ExchangedTokens(
            tokens: tokens,
            issuedTokenType: response.issuedTokenType.map(TokenExchange.TokenType.init)
        )
    }
}
