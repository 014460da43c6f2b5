/// Stores a record in memory, as long as the store exists.
public final class MemoryRecordStore<Record: StoredRecord>: RecordStore {
    private let record: Locked<Record?>
    private let mutex = AsyncMutex()

    /// Creates a store.
    ///
    /// - Parameter record: The initial content.
    public init(_ record: Record? = nil) {
        self.record = Locked(record)
    }

    /// Returns the stored record; `nil` if there is none.
    public func load() async -> Record? { record.withLock { $0 } }

    /// Replaces the stored record.
    public func save(_ record: Record) async { self.record.withLock { $0 = record } }

    /// Removes the stored record.
    public func delete() async { record.withLock { $0 = nil } }

    /// Calls a closure while no other task calls one with this store.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await mutex.withLock(body)
    }
}
