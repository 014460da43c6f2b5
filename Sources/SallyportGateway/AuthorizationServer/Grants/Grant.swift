import Foundation

/// An authorization of a client. When it ends, all tokens that were issued for it become invalid.
struct Grant: Sendable {
    let id: String
    let clientID: String
    /// The user who authorized the client; `nil` for a client that acts on its own behalf.
    let username: String?
    let subject: String
    let scopes: [String]
    var nonce: String?
    /// The path at the end of the issuer identifier of the tokens; see ``EndpointPaths/issuer``.
    let issuerPath: String
    var authenticatedAt: Date?
    /// The methods by which the user authenticated (`amr`, RFC 8176).
    var authenticationMethods: [String] = []
    /// The tree by which the user authenticated (`acr`); `nil` for a login page.
    var authenticationContext: String?
    var sessionID: String?

    /// The client and the user, as the owner of entries in an ``ExpiringTable``.
    var owner: String { "\(clientID)\n\(username ?? "")" }
}

/// The grants that have not been revoked.
final class GrantTable {
    private let context: ServerContext
    private var grants = ExpiringTable<String, Grant>(limit: 65_536) { $1.owner }

    init(_ context: ServerContext) {
        self.context = context
    }

    /// The number of grants, which may include expired ones.
    var count: Int { grants.count }

    /// Stores a grant. It expires with its first access token, unless a refresh token extends it.
    func begin(_ grant: Grant) {
        let now = context.now
        grants.insert(grant, for: grant.id, until: now + context.lifetimes.accessToken + 60, now: now)
    }

    /// Extends a grant until a refresh token expires, or an access token that is issued now, whichever is later.
    func extend(_ grant: Grant, until refreshTokenEnd: Date) {
        grants.extend(grant.id, until: max(refreshTokenEnd, context.now + context.lifetimes.accessToken))
    }

    /// Returns `true` if a grant has neither expired nor been revoked.
    func isActive(_ grant: Grant) -> Bool {
        grants.value(for: grant.id, now: context.now) != nil
    }

    /// Revokes a grant, and thereby all its tokens.
    func revoke(_ grant: Grant) {
        grants.remove(grant.id)
    }

    /// Revokes the grants that satisfy a predicate.
    func revokeAll(where isRevoked: (Grant) -> Bool) {
        grants.removeAll(where: isRevoked)
    }
}
