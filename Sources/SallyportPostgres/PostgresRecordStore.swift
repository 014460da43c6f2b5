#if PostgreSQL && os(Linux)

import SallyportJourney
import SallyportOAuth
import SallyportStorage

/// Stores a record in a row of a PostgreSQL database, shared by the processes of any number of machines.
public final class PostgresRecordStore<Record: StoredRecord>: RecordStore {
    /// Creates a store. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - name: The name of the row, such as the identifier of the user. It is at most 512 bytes long.
    ///   - database: The database.
    ///   - key: The key of the encryption.
    ///   - lockLimit: The maximum time to wait for exclusive access.
    public init(_ name: String, in database: PostgresDatabase, key: RecordStoreKey, lockLimit: Duration = .seconds(90)) {}

    /// Returns the record in the row; `nil` if there is none.
    public func load() async throws -> Record? { nil }

    /// Replaces the record in the row.
    public func save(_ record: Record) async throws {}

    /// Removes the row.
    public func delete() async throws {}

    /// Calls a closure while no other task and no other process calls one for the same row.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await body()
    }
}

/// Stores tokens in a row of a PostgreSQL database.
public typealias PostgresTokenStore = PostgresRecordStore<TokenRecord>

extension PostgresRecordStore: TokenStore where Record == TokenRecord {}

/// Stores the session of a `Journey` in a row of a PostgreSQL database.
public typealias PostgresSessionStore = PostgresRecordStore<JourneySessionRecord>

extension PostgresRecordStore: JourneySessionStore where Record == JourneySessionRecord {}

#endif
