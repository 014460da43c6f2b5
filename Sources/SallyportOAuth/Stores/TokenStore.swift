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
