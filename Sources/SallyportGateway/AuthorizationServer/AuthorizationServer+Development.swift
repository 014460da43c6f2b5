import Foundation

extension AuthorizationServer {
    /// Ends all access tokens now. Refresh tokens stay good.
    public func expireAccessTokens() {
        accessTokens.removeAll { _ in true }
    }

    /// Ends all that was granted, refresh tokens included.
    public func revokeEverything() {
        grants.removeAll { _ in true }
    }

    /// Makes a new signing key. It is published at once, and signs after a while.
    ///
    /// - Parameter lead: How many seconds it is only published, so that clients can get to know it.
    public func rotateSigningKeys(lead: TimeInterval = 0) throws(GatewayError) {
        do {
            try keys.rotate(lead: lead, now: now())
        } catch {
            throw .invalidIdentity("No signing key can be made: \(error)")
        }
    }

    /// Refuses all nonces that were given for proofs so far.
    public func rotateProofNonces() {
        nonces = GatewayProofNonces(lifetime: configuration.lifetimes.proofNonce)
    }

    /// Approves what a device has asked for, as somebody would on its page.
    ///
    /// - Parameters:
    ///   - userCode: The code that the device shows, in any case and with or without dashes.
    ///   - username: Who approves it.
    /// - Returns: Whether there was such a code and such a user.
    @discardableResult
    public func approveDevice(userCode: String, as username: String) -> Bool {
        guard let user = users[username], let code = device(userCode) else { return false }
        return decide(
            device: code.key,
            allowed: true,
            by: BrowserSession(id: Secret.randomName(), user: user, startedAt: now())
        )
    }
}
