import Foundation
import SallyportJOSE

/// One authorization of a client. All tokens that were issued for it end with it.
struct Grant: Sendable {
    let id: String
    let clientID: String
    /// Who has allowed it; `nil` where a client acts for itself.
    let username: String?
    let subject: String
    let scopes: [String]
    var nonce: String?
    var authenticatedAt: Date?
    var sessionID: String?

    /// The client and the user, as the owner of entries in an ``ExpiringTable``.
    var owner: String { "\(clientID)\n\(username ?? "")" }
}

/// A code that a browser takes to the client.
struct AuthorizationCode: Sendable {
    let grant: Grant
    let redirectURI: String
    let challenge: String
    /// The key that the tokens have to be bound to, if the client has said so (RFC 9449, section 10).
    let proofKey: String?
    var isUsed = false
}

/// A refresh token. It stays when it is spent, so that a second use is noticed.
struct RefreshToken: Sendable {
    let grant: Grant
    let issuedAt: Date
    let end: Date
    /// The key that it is bound to.
    let proofKey: String?
    var isSpent = false
}

/// The response to a refresh, which is repeated if the client has not received it.
struct RefreshResponse: Sendable {
    let grant: Grant
    let members: [String: JsonValue]
    /// The refresh token in it.
    let successor: SecretHash
    /// The scope that the request named.
    let scope: String?
    /// The key that the request proved.
    let proofKey: String?
}

/// An access token.
struct AccessToken: Sendable {
    let id: String
    let grant: Grant
    let clientID: String
    let scopes: [String]
    let audience: [String]
    /// A Boolean value that indicates whether it was issued in exchange for another access token, whose audience it
    /// must not exceed.
    let isExchanged: Bool
    let issuedAt: Date
    let end: Date
    /// The key that it is bound to.
    let proofKey: String?

    /// The client that it was issued to and the user, as the owner of entries in an ``ExpiringTable``.
    var owner: String { "\(clientID)\n\(grant.username ?? "")" }
}
