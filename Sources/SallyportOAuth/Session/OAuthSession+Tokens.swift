import Foundation

/// The operations on what is kept, by the words of seed 002.
extension OAuthSession {
    /// Keeps tokens in place of those before, as after a login.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``, and then those before are still kept.
    public func save(_ tokens: OAuthTokens) async throws(OAuthSessionError) {
        let record = TokenRecord(tokens: tokens, obtainedAt: now())
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

    /// The tokens that are kept, fresh or not; `nil` if there are none. Nothing is asked of a server.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``.
    public func current() async throws(OAuthSessionError) -> OAuthTokens? {
        if let unsaved = unsaved.withLock({ $0 }) { return unsaved.record.tokens }
        do {
            return try await store.load()?.tokens
        } catch {
            throw OAuthSessionError(ofStore: error)
        }
    }

    /// The access token that is kept, if it has not ended; ``tokens()`` refreshes one that has.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``.
    public func findAccessToken() async throws(OAuthSessionError) -> String? {
        guard let tokens = try await current() else { return nil }
        if let end = tokens.expiresAt, end <= now() { return nil }
        return tokens.accessToken
    }

    /// The refresh token that is kept, if there is one.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)``.
    public func findRefreshToken() async throws(OAuthSessionError) -> String? {
        try await current()?.refreshToken
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
