import Foundation

/// The operations on what is kept, by the words of seed 002.
extension OAuthSession {
    /// Keeps tokens in place of those before, as after a login.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``, and then those before are still kept.
    public func save(_ tokens: OAuthTokens) async throws(OAuthSessionError) {
        let record = TokenRecord(tokens: tokens, client: refresher.identity, obtainedAt: now())
        try await inStore {
            try await self.store.save(record)
            self.unsaved.withLock { $0 = nil }
            self.know(record, due: record.refreshDue(ahead: self.refreshAhead))
        }
    }

    /// Forgets the tokens, as after a logout. The server is not told.
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

    private func inStore(_ body: @Sendable () async throws -> Void) async throws(OAuthSessionError) {
        do {
            // Within a refresh the store is held already.
            if isRefreshedHere { return try await body() }
            try await store.withExclusiveAccess(body)
        } catch {
            throw OAuthSessionError(ofStore: error)
        }
    }
}
