import Foundation
import SallyportJOSE

/// What a server has given to a client: tokens, what they are for, and how long they live (RFC 6749, section 5.1).
///
/// Printing it shows no token.
public struct OAuthTokens: Sendable, Equatable, Codable {
    /// Sent with calls to the API.
    public var accessToken: String
    /// How it is sent: `Bearer` or `DPoP`.
    public var tokenType: String
    /// When the access token ends; `nil` if the server did not say.
    public var expiresAt: Date?
    /// Brings new tokens; it may be spent by that.
    public var refreshToken: String?
    /// Who has signed in (OpenID Connect), as it came; it has been validated before it is here.
    public var idToken: String?
    /// The scopes that were granted, if the server said or the client asked for some.
    public var scope: String?
    /// The key that the tokens are bound to (RFC 9449).
    public var proofKey: SigningKey?

    /// Makes tokens.
    public init(
        accessToken: String,
        tokenType: String = "Bearer",
        expiresAt: Date? = nil,
        refreshToken: String? = nil,
        idToken: String? = nil,
        scope: String? = nil,
        proofKey: SigningKey? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.proofKey = proofKey
    }
}

extension OAuthTokens: CustomStringConvertible, CustomReflectable {
    /// The kind and the end, without any token.
    public var description: String { "\(tokenType) tokens" + (expiresAt.map { " until \($0)" } ?? "") }

    /// The same as ``description``, so that dumping shows no token either.
    public var customMirror: Mirror { Mirror(self, children: ["tokens": description], displayStyle: .struct) }
}
