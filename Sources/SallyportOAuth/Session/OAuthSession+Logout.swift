import Foundation
import Sallyport

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

    /// Revokes the tokens that a login has replaced, unless the new ones come from the same login. A failure is only logged.
    func revokeReplaced(_ old: OAuthTokens, by new: OAuthTokens) async {
        let isSameLogin = old.refreshToken.map { $0 == new.refreshToken } ?? (old.accessToken == new.accessToken)
        if isSameLogin { return }
        do throws(OAuthSessionError) {
            _ = try await revoke(old)
        } catch {
            logger.warning("The tokens that a login replaced were not revoked: \(error)")
        }
    }
}
