import SallyportTransport

/// A store in memory, which loses the tokens when the process ends.
public final class MemoryTokenStore: TokenStore {
    private let record: Locked<TokenRecord?>
    private let mutex = AsyncMutex()

    /// Creates a store.
    ///
    /// - Parameter record: The initial content.
    public init(_ record: TokenRecord? = nil) {
        self.record = Locked(record)
    }

    /// Returns the stored record; `nil` if there is none.
    public func load() async -> TokenRecord? { record.withLock { $0 } }

    /// Replaces the stored record.
    public func save(_ record: TokenRecord) async { self.record.withLock { $0 = record } }

    /// Removes the stored record.
    public func delete() async { record.withLock { $0 = nil } }

    /// Runs a closure with exclusive access to the store, among all tasks of this process.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await mutex.withLock(body)
    }
}
