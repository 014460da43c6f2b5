import Foundation
import SallyportStorage

/// The content of a ``TokenStore``: tokens, the client that they were issued to, and the state of their refresh.
///
/// Its description contains no token.
public struct TokenRecord: Sendable, Equatable, Codable {
    /// The tokens.
    public var tokens: OAuthTokens

    /// The client that the tokens were issued to. An ``OAuthSession`` of any other client refuses the record.
    public var client: OAuthClientIdentity

    /// The time at which the tokens were received, if it is known.
    public var obtainedAt: Date?

    /// The start of a refresh that has not completed, or `nil` if there is none.
    ///
    /// It is stored before the request is sent and removed with its result. If a session finds it in the store, the
    /// process or the connection ended before the response was stored, and the server may have replaced the refresh token.
    public var refreshBegan: Date?

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - client: The client that the tokens were issued to.
    ///   - obtainedAt: The time at which the tokens were received, if it is known.
    ///   - refreshBegan: The start of a refresh that has not completed, if there is one.
    public init(
        tokens: OAuthTokens,
        client: OAuthClientIdentity,
        obtainedAt: Date? = nil,
        refreshBegan: Date? = nil
    ) {
        self.tokens = tokens
        self.client = client
        self.obtainedAt = obtainedAt
        self.refreshBegan = refreshBegan
    }
}

extension TokenRecord: StoredRecord {
    /// The format of stored tokens. Versions 1 and 2 did not contain the client, or not in this form.
    public static let format = RecordFormat(
        name: "sallyport-tokens",
        version: 3,
        noun: "token",
        recovery: "log in again"
    )

    /// The client that the tokens were issued to.
    public var owner: OAuthClientIdentity { client }
}

extension TokenRecord {
    /// Returns the time from which the tokens should be refreshed, or `nil` if they do not expire.
    ///
    /// - Parameters:
    ///   - ahead: The time between the refresh and the expiry. It is at most half of the lifetime, if that is known.
    ///   - factor: The part of that time that is used.
    func refreshDue(ahead: Duration, times factor: Double = 1) -> Date? {
        guard let end = tokens.expiresAt else { return nil }
        let margin = max(0, ahead / .seconds(1))
        guard let obtainedAt, end > obtainedAt else { return end - margin * factor }
        return end - min(margin, end.timeIntervalSince(obtainedAt) / 2) * factor
    }
}

extension TokenRecord: CustomStringConvertible, CustomReflectable {
    /// The type and expiry of the tokens, without any token.
    public var description: String { tokens.description }

    /// The same as ``description``, so that `dump` prints no token either.
    public var customMirror: Mirror { Mirror(self, children: ["record": description], displayStyle: .struct) }
}

/// A client of an authorization server: the server's issuer identifier (RFC 8414, section 2) and the client identifier
/// (RFC 6749, section 2.2).
///
/// Tokens are stored with the identity of their client, so that tokens of one issuer are never sent to another.
///
/// ```swift
/// let identity = OAuthClientIdentity(issuer: "https://id.example.com", clientID: "app")
/// ```
public struct OAuthClientIdentity: Sendable, Hashable, Codable {
    /// The issuer identifier of the authorization server.
    public var issuer: String

    /// The client identifier, which is unique only at that server.
    public var clientID: String

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server, such as `https://id.example.com`.
    ///   - clientID: The client identifier.
    public init(issuer: String, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }
}

extension OAuthClientIdentity: CustomStringConvertible {
    /// The client and the issuer, in a form that is safe to show.
    public var description: String { SanitizedText.make(from: "\(clientID) at \(issuer)") }
}
