import Foundation

/// Somebody who has signed in with a browser. Its cookie is kept as a hash only.
struct BrowserSession: Sendable {
    /// Its name in id_tokens (`sid`).
    let id: String
    let user: GatewayUser
    let startedAt: Date

    /// What the person allows a client.
    func grant(to client: GatewayClient, scopes: [String], nonce: String?) -> Grant {
        Grant(
            id: Secret.randomName(),
            clientID: client.id,
            username: user.username,
            subject: user.subject,
            scopes: scopes,
            nonce: nonce,
            authenticatedAt: startedAt,
            sessionID: id
        )
    }
}
