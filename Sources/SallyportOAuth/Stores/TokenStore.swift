import Foundation

/// A store for the tokens of one session.
///
/// The SDK provides ``MemoryTokenStore``, ``FileTokenStore`` and, on Apple platforms, `KeychainTokenStore`. An
/// ``OAuthSession`` changes the content only within ``withExclusiveAccess(_:)``.
public protocol TokenStore: Sendable {
    /// Returns the stored record; `nil` if there is none.
    func load() async throws -> TokenRecord?

    /// Replaces the stored record durably.
    ///
    /// When this returns, a crash does not lose the record. When it throws, the previous record is still stored.
    func save(_ record: TokenRecord) async throws

    /// Removes the stored record.
    func delete() async throws

    /// Runs a closure with exclusive access to the store, among all tasks and processes that share it.
    ///
    /// - Throws: The error of the closure, or an error if another task or process did not end its access in time.
    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result
}

/// An error of a store that could not read or save tokens. Its description contains no token and no key.
public struct TokenStoreError: Error, Sendable, Equatable {
    /// The kind of an error.
    public enum Reason: Sendable, Equatable {
        /// The store cannot be read.
        case cannotRead
        /// The store cannot be written. The previous content is still there.
        case cannotWrite
        /// Other users can read or change the file or own it, or it is not a regular file.
        case notPrivate
        /// The store contains no tokens, or tokens in a later version of the format.
        case malformed
        /// The store contains tokens in an earlier version of the format, which does not name their client. A new login is needed.
        case outdated
        /// The content is too large.
        case tooLarge
        /// The content is encrypted, and the key is missing or a different one.
        case key
        /// The content is not encrypted although the store has a key.
        case notEncrypted
        /// Another task or process has had exclusive access for too long.
        case busy
    }

    /// The kind of the error.
    public let reason: Reason
    /// The problem and advice, in words.
    public let description: String

    /// Creates an error.
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
