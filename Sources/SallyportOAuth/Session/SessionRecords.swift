import Foundation
import SallyportStorage
import SallyportTransport

/// Loads and saves the token record of a session, and keeps the cache in the session's state consistent with the store.
struct SessionRecords: Sendable {
    let store: any TokenStore
    let refreshAhead: Duration
    let now: @Sendable () -> Date
    private let refresher: any TokenRefresher
    /// A random part of ``refreshAhead``, so that the sessions that share the store do not refresh at the same time.
    private let factor = Double.random(in: 0.8...1)
    private let state: Locked<OAuthSession.State>

    init(
        store: any TokenStore,
        refresher: any TokenRefresher,
        refreshAhead: Duration,
        state: Locked<OAuthSession.State>,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.refresher = refresher
        self.refreshAhead = refreshAhead
        self.state = state
        self.now = now
    }

    /// Loads the record of this session's client from the store.
    ///
    /// - Throws: ``OAuthSessionError/store(_:)`` if it cannot be read, ``OAuthSessionError/otherClient(issuedTo:expected:)``
    ///   if its tokens belong to another client.
    func load() async throws(OAuthSessionError) -> TokenRecord? {
        let record: TokenRecord?
        do { record = try await store.load() } catch { throw OAuthSessionError(ofStore: error) }
        if let record, record.client != refresher.identity {
            throw .otherClient(issuedTo: record.client, expected: refresher.identity)
        }
        return record
    }

    /// Returns the record in the store, or the newer one that could not be saved, after another attempt to save it.
    func loadNewest() async throws(OAuthSessionError) -> TokenRecord? {
        let stored = try await load()
        guard let unsaved = unsaved(replacing: stored) else { return stored }
        try? await save(unsaved)
        return unsaved
    }

    /// Saves the record that could not be saved, if there is one.
    func saveUnsaved() async throws {
        if let unsaved = unsaved(replacing: try await load()) { try await save(unsaved) }
    }

    /// Returns the record that could not be saved, unless the tokens in the store have been replaced meanwhile, as by a new login.
    private func unsaved(replacing stored: TokenRecord?) -> TokenRecord? {
        state.withLock { state in
            if let unsaved = state.unsaved, stored?.tokens == unsaved.replaced { return unsaved.record }
            state.setUnsaved(nil)
            return nil
        }
    }

    /// Saves a record in the store, and caches its tokens.
    func save(_ record: TokenRecord) async throws {
        try await store.save(record)
        state.withLock { state in
            state.setUnsaved(nil)
            state.cache(record.tokens, refreshDue: refreshDue(of: record))
        }
    }

    /// Returns the time from which the tokens of a record should be refreshed; `nil` if they do not expire.
    func refreshDue(of record: TokenRecord) -> Date? { record.refreshDue(ahead: refreshAhead, times: factor) }

    /// Notes whether new tokens are being saved.
    func setSaving(_ isSaving: Bool) { state.withLock { $0.isSaving = isSaving } }

    /// Caches a record that the store could not save.
    func keepUnsaved(_ record: TokenRecord, replacing replaced: OAuthTokens?, refreshDue: Date) {
        state.withLock { state in
            state.setUnsaved(UnsavedTokens(record: record, replaced: replaced))
            state.cache(record.tokens, refreshDue: refreshDue)
        }
    }

    /// Removes the record from the store and from memory.
    func delete() async throws {
        try await store.delete()
        forget()
    }

    /// Removes the record from memory.
    func forget() {
        state.withLock { state in
            state.setUnsaved(nil)
            state.cache(nil, refreshDue: nil)
        }
    }

    /// Removes the record from memory, unless it has not been saved yet.
    func forgetSaved() {
        state.withLock { state in
            if state.unsaved == nil { state.cache(nil, refreshDue: nil) }
        }
    }

    /// Caches tokens.
    ///
    /// - Parameter version: The ``version`` that the cache must still have; `nil` for any.
    /// - Returns: `false` if it has another one, and then nothing changes.
    @discardableResult
    func cache(_ tokens: OAuthTokens?, refreshDue: Date?, at version: Int? = nil) -> Bool {
        state.withLock { state in
            if let version, version != state.cacheVersion { return false }
            state.cache(tokens, refreshDue: refreshDue)
            return true
        }
    }

    /// The version of the cache, which changes with its content.
    var version: Int { state.withLock { $0.cacheVersion } }

    /// The tokens in memory, expired or not.
    var cachedTokens: OAuthTokens? { state.withLock { $0.unsaved?.record.tokens ?? $0.tokens } }

    /// The tokens that the store could not save.
    var unsaved: UnsavedTokens? { state.withLock { $0.unsaved } }

    /// Returns `true` if a server has rejected the tokens.
    func isRejected(_ tokens: OAuthTokens) -> Bool {
        state.withLock { $0.isRejected(tokens.accessToken) }
    }
}
