import Foundation

/// Keeps the tokens of one session.
///
/// ``MemoryTokenStore``, ``FileTokenStore`` and, on Apple platforms, `KeychainTokenStore` are there; any other is a few
/// lines. An ``OAuthSession`` changes what is kept only within ``withExclusiveAccess(_:)``.
public protocol TokenStore: Sendable {
    /// What is kept; `nil` if nothing is.
    func load() async throws -> TokenRecord?

    /// Keeps a record in place of the one before, durably: when it returns, a crash does not lose it. When it throws,
    /// the one before is still there.
    func save(_ record: TokenRecord) async throws

    /// Forgets the record.
    func delete() async throws

    /// Runs a closure while nobody else who shares the store runs one, in this process or another.
    ///
    /// - Throws: What the closure throws, or that the access could not be had in time.
    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result
}

/// Why a store could not read or keep tokens. It shows no token and no key.
public struct TokenStoreError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// It cannot be read.
        case cannotRead
        /// It cannot be written; what was kept before is still there.
        case cannotWrite
        /// Others can read it, change it or own it, or it is not a plain file.
        case notPrivate
        /// It contains no tokens, or tokens in a later version of the format.
        case malformed
        /// It contains tokens in an earlier version of the format, which does not name their client; a new login is needed.
        case outdated
        /// It is larger than is read.
        case tooLarge
        /// It is encrypted, and there is no key or another one.
        case key
        /// It is not encrypted although the store has a key.
        case notEncrypted
        /// Somebody else has held it for too long.
        case busy
    }

    /// What is wrong.
    public let reason: Reason
    /// What is wrong and what to do, in words.
    public let description: String

    /// Makes an error.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

extension TokenStoreError {
    /// A Boolean value that indicates whether a new login replaces what the store cannot use.
    package var needsLogin: Bool { reason == .outdated || reason == .notEncrypted }
}

extension TokenStoreError: CustomStringConvertible, LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
