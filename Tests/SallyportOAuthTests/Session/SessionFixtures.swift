import Foundation
import Sallyport
import SessionSupport
import TestSupport

@testable import SallyportOAuth

/// A refresher that runs a closure and counts the refreshes.
final class ScriptedRefresher: TokenRefresher {
    private let answer: @Sendable (Int, OAuthTokens) async throws -> OAuthTokens
    let identity: OAuthClientIdentity
    let count = Watched(0)

    /// - Parameter answer: A closure that returns the new tokens, from the number of the refresh, beginning with 1, and the
    ///   previous tokens.
    init(
        for identity: OAuthClientIdentity = FormRefresher.identity,
        _ answer: @escaping @Sendable (Int, OAuthTokens) async throws -> OAuthTokens
    ) {
        self.identity = identity
        self.answer = answer
    }

    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        let number = count.update { count in
            count += 1
            return count
        }
        return try await answer(number, tokens)
    }
}

extension OAuthTokens {
    /// Returns tokens with a number that expire in an hour.
    static func number(_ number: Int, at now: Date = Date()) -> OAuthTokens {
        OAuthTokens(
            accessToken: "canary-access-\(number)",
            expiresAt: now + 3600,
            refreshToken: "canary-refresh-\(number)"
        )
    }

    /// Expired tokens with the number 0.
    static let ended = OAuthTokens(
        accessToken: "canary-access-0",
        expiresAt: Date(timeIntervalSince1970: 0),
        refreshToken: "canary-refresh-0"
    )

    init(_ grant: TokenBook.Grant, expiresAt: Date) {
        self.init(accessToken: grant.accessToken, expiresAt: expiresAt, refreshToken: grant.refreshToken)
    }
}

extension OAuthSessionError {
    /// The name of the case, which the mirror does not contain.
    var kind: String {
        switch self {
        case .notLoggedIn: "notLoggedIn"
        case .expired: "expired"
        case .ended: "ended"
        case .responseLost: "responseLost"
        case .refused: "refused"
        case .network: "network"
        case .store: "store"
        case .otherClient: "otherClient"
        }
    }
}

extension TokenRecord {
    /// Creates a record of the client of these tests.
    init(tokens: OAuthTokens, obtainedAt: Date? = nil, refreshBegan: Date? = nil) {
        self.init(tokens: tokens, client: FormRefresher.identity, obtainedAt: obtainedAt, refreshBegan: refreshBegan)
    }
}

extension MemoryTokenStore {
    /// Creates a store with tokens of the client of these tests.
    convenience init(_ tokens: OAuthTokens) { self.init(TokenRecord(tokens: tokens)) }
}

extension OAuthError {
    static func refusal(_ word: String, status: Int = 400) -> OAuthError {
        OAuthError(error: word, status: status, failure: NetworkFailure("the server refused"))
    }
}

/// A store in memory that records what is saved and can fail.
final class WatchedStore: TokenStore {
    private let memory: MemoryTokenStore
    let saved = Watched<[TokenRecord]>([])
    /// The number of exclusive accesses.
    let accesses = Watched(0)
    /// The error of attempts to remove the record.
    let deletionError = Watched<TokenStoreError?>(nil)
    /// A closure that is called before each save with its number, beginning with 1.
    private let beforeSaving: @Sendable (Int) async throws -> Void

    init(_ tokens: OAuthTokens?, beforeSaving: @escaping @Sendable (Int) async throws -> Void = { _ in }) {
        memory = MemoryTokenStore(tokens.map { TokenRecord(tokens: $0) })
        self.beforeSaving = beforeSaving
    }

    func load() async -> TokenRecord? { await memory.load() }

    func save(_ record: TokenRecord) async throws {
        let number = saved.update { saved in
            saved.append(record)
            return saved.count
        }
        try await beforeSaving(number)
        await memory.save(record)
    }

    /// Saves a record as another process would, without recording it.
    func replace(with record: TokenRecord) async { await memory.save(record) }

    func delete() async throws {
        if let error = deletionError.value { throw error }
        await memory.delete()
    }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        accesses.update { $0 += 1 }
        return try await memory.withExclusiveAccess(body)
    }
}

/// A store in memory that can be unavailable, like a database.
final class UnreachableStore: TokenStore {
    private let memory = MemoryTokenStore()
    private let reason: TokenStoreError.Reason
    let isReachable = Watched(true)

    init(_ reason: TokenStoreError.Reason) { self.reason = reason }

    func load() async throws -> TokenRecord? {
        try check()
        return await memory.load()
    }

    func save(_ record: TokenRecord) async throws {
        try check()
        await memory.save(record)
    }

    func delete() async throws {
        try check()
        await memory.delete()
    }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try check()
        return try await memory.withExclusiveAccess(body)
    }

    private func check() throws {
        if !isReachable.value { throw TokenStoreError(reason, "the database is not available; try again later") }
    }
}
