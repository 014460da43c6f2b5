import Foundation

/// What a ``TokenStore`` keeps: tokens, and what has to be known of them after a crash.
///
/// Printing it shows no token.
public struct TokenRecord: Sendable, Equatable, Codable {
    /// The tokens.
    public var tokens: OAuthTokens

    /// When they were given, as far as is known.
    public var obtainedAt: Date?

    /// When a refresh began of which no end is known: the server may have given new tokens that never came here.
    ///
    /// It is written before the server is asked, and goes with its answer.
    public var refreshBegan: Date?

    /// Makes a record.
    public init(tokens: OAuthTokens, obtainedAt: Date? = nil, refreshBegan: Date? = nil) {
        self.tokens = tokens
        self.obtainedAt = obtainedAt
        self.refreshBegan = refreshBegan
    }
}

extension TokenRecord {
    /// When the tokens should be refreshed: ahead of their end, but not before half of their life is over.
    func refreshDue(ahead: Duration) -> Date? {
        guard let end = tokens.expiresAt else { return nil }
        let margin = max(0, ahead / .seconds(1))
        guard let obtainedAt, end > obtainedAt else { return end - margin }
        return end - min(margin, end.timeIntervalSince(obtainedAt) / 2)
    }
}

extension TokenRecord: CustomStringConvertible, CustomReflectable {
    /// The kind of tokens and their end, without any token.
    public var description: String { tokens.description }

    /// The same as ``description``, so that dumping shows no token either.
    public var customMirror: Mirror { Mirror(self, children: ["record": description], displayStyle: .struct) }
}
