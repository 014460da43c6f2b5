import Foundation
import Sallyport
import SallyportJOSE

/// The revocation of tokens: at a logout, and when a new login replaces them.
extension OAuthSession {
    /// Revokes the tokens at the server, and removes them from the store.
    ///
    /// The session has exclusive access to the store from loading the tokens until they are removed. So a refresh, in this
    /// process or in another one that shares the store, cannot obtain new tokens that survive the logout.
    ///
    /// If the server refuses, the tokens are removed as well, as it would refuse again: some servers refuse public
    /// clients, and others offer no revocation. Tell the user then that the tokens may remain valid until they expire.
    ///
    /// ```swift
    /// if let refusal = try await session.logout() {
    ///     print("Logged out. The tokens may remain valid until they expire: \(refusal)")
    /// }
    /// ```
    ///
    /// - Returns: The refusal, if the server did not revoke the tokens (RFC 7009, section 2.2.1); `nil` if it did, or if there
    ///   were none.
    /// - Throws: ``OAuthSessionError``. The tokens are kept, so that the logout can be repeated, if the server could not be
    ///   reached (``OAuthSessionError/network(_:)``), if it failed for the time being (``OAuthSessionError/refused(_:)``), if
    ///   the store failed (``OAuthSessionError/store(_:)``), and if the tokens belong to another client
    ///   (``OAuthSessionError/otherClient(issuedTo:expected:)``).
    @discardableResult
    public func logout() async throws(OAuthSessionError) -> OAuthError? {
        try await inStore {
            var refusal: OAuthError?
            if let record = try await self.loadNewest() { refusal = try await self.revoke(record.tokens) }
            try await self.store.delete()
            self.unsaved.withLock { $0 = nil }
            self.know(nil, due: nil)
            return refusal
        }
    }

    /// Revokes tokens.
    ///
    /// - Returns: The refusal of the server, if it is final.
    private func revoke(_ tokens: OAuthTokens) async throws(OAuthSessionError) -> OAuthError? {
        do {
            try await refresher.revoke(tokens)
            return nil
        } catch let error as OAuthError {
            if error.isTemporary { throw .refused(error) }
            logger.warning("The tokens were not revoked, and may remain valid until they expire: \(error)")
            return error
        } catch {
            throw .network(NetworkError(wrapping: error, reason: "the tokens could not be revoked"))
        }
    }

    /// Revokes the tokens that a login has replaced, unless the revocation could end the new login. A failure is only logged.
    func revokeReplaced(_ old: OAuthTokens, by new: OAuthTokens) async {
        if Self.shareGrant(old, new) { return }
        do throws(OAuthSessionError) {
            _ = try await revoke(old)
        } catch {
            logger.warning("The tokens that a login replaced were not revoked: \(error)")
        }
    }

    /// Returns true if both tokens may depend on the same grant at the server.
    ///
    /// They do if they have the same refresh token, or the same session at the server (`sid`, OpenID Connect Front-Channel
    /// Logout 1.0, section 3). Without a new refresh token the server may rely on the one that it issued before.
    private static func shareGrant(_ old: OAuthTokens, _ new: OAuthTokens) -> Bool {
        guard let refreshToken = old.refreshToken else { return old.accessToken == new.accessToken }
        guard let newRefreshToken = new.refreshToken, refreshToken != newRefreshToken else { return true }
        guard let session = serverSession(of: old) else { return false }
        return session == serverSession(of: new)
    }

    private static func serverSession(of tokens: OAuthTokens) -> String? {
        struct Claims: Decodable {
            var sid: String?
        }
        // A signed id_token has three parts, and was validated when it was received.
        guard let parts = tokens.idToken?.split(separator: "."), parts.count == 3,
            let payload = Base64Url.decode(String(parts[1]))
        else { return nil }
        return (try? JSONDecoder().decode(Claims.self, from: payload))?.sid
    }
}
