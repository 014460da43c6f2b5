import Foundation

/// The operations on what is kept, by the words of seed 002.
extension OAuthSession {
    /// Saves the tokens of a new login, and revokes those that they replace.
    ///
    /// A failure to revoke the replaced tokens is only logged.
    ///
    /// - Parameters:
    ///   - tokens: The tokens to save.
    ///   - revokesReplaced: A Boolean value that indicates whether the replaced tokens are revoked. Pass `false` for tokens that
    ///     you have refreshed yourself, and for servers that end all logins of a person with the revocation of one.
    /// - Throws: ``OAuthSessionError/store(_:)``, and then the previous tokens are still stored.
    public func save(_ tokens: OAuthTokens, revokesReplaced: Bool = true) async throws(OAuthSessionError) {
        let record = TokenRecord(tokens: tokens, client: refresher.identity, obtainedAt: now())
        let replaced: TokenRecord? = try await inStore {
            // Tokens that cannot be read, or are of another client, are replaced without revocation.
            let replaced = revokesReplaced && !self.isRefreshedHere ? try? await self.loadNewest() : nil
            try await self.store.save(record)
            self.unsaved.withLock { $0 = nil }
            self.know(record, due: record.refreshDue(ahead: self.refreshAhead))
            return replaced
        }
        if let replaced { await revokeReplaced(replaced.tokens, by: tokens) }
    }

    /// Removes the tokens from the store without revoking them; see ``logout()``.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``.
    public func reset() async throws(OAuthSessionError) {
        try await inStore {
            try await self.store.delete()
            self.unsaved.withLock { $0 = nil }
            self.know(nil, due: nil)
        }
    }

    /// Returns the stored tokens, expired or not, or `nil` if there are none. No request is sent.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``, or ``OAuthSessionError/otherClient(issuedTo:expected:)`` if the stored
    ///   tokens belong to another client.
    public func current() async throws(OAuthSessionError) -> OAuthTokens? {
        if let unsaved = unsaved.withLock({ $0 }) { return unsaved.record.tokens }
        return try await loadRecord()?.tokens
    }

    /// The access token that is kept, if it has not ended; ``tokens()`` refreshes one that has.
    ///
    /// - Throws: The same as ``current()``.
    public func findAccessToken() async throws(OAuthSessionError) -> String? {
        guard let tokens = try await current() else { return nil }
        if let end = tokens.expiresAt, end <= now() { return nil }
        return tokens.accessToken
    }

    /// The refresh token that is kept, if there is one.
    ///
    /// - Throws: The same as ``current()``.
    public func findRefreshToken() async throws(OAuthSessionError) -> String? {
        try await current()?.refreshToken
    }

    /// Loads the record of this session's client from the store.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)`` if it cannot be read, ``OAuthSessionError/otherClient(issuedTo:expected:)``
    ///   if its tokens belong to another client.
    func loadRecord() async throws(OAuthSessionError) -> TokenRecord? {
        let record: TokenRecord?
        do { record = try await store.load() } catch { throw OAuthSessionError(ofStore: error) }
        if let record, record.client != refresher.identity {
            throw .otherClient(issuedTo: record.client, expected: refresher.identity)
        }
        return record
    }

    /// Runs a closure with exclusive access to the store.
    func inStore<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws(OAuthSessionError) -> Value {
        do {
            // A refresh has exclusive access already.
            if isRefreshedHere { return try await body() }
            return try await store.withExclusiveAccess(body)
        } catch let error as OAuthSessionError {
            throw error
        } catch {
            throw OAuthSessionError(ofStore: error)
        }
    }
}
