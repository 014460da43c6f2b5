/// Keeps the tokens of one session.
///
/// ``MemoryTokenStore``, ``FileTokenStore`` and, on Apple platforms, `KeychainTokenStore` are there; any other is a few lines.
public protocol TokenStore: Sendable {
    /// The tokens that are kept; `nil` if there are none.
    func load() async throws -> OAuthTokens?

    /// Keeps tokens in place of those before, durably: when it returns, a crash does not lose them.
    func save(_ tokens: OAuthTokens) async throws

    /// Forgets the tokens.
    func delete() async throws

    /// Runs a closure while nobody else who shares the store runs one, in this process or another.
    func withExclusiveAccess<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result
}
