#if PostgreSQL && os(Linux)

import Foundation
import SallyportJourney
import SallyportOAuth
import SallyportStorage

/// Stores a record in a row of a PostgreSQL database, shared by the processes of any number of machines.
///
/// The record is encrypted (AES-GCM) as in a ``FileRecordStore``, with a key that is derived for the row. The name of the row is
/// authenticated as well, so that a row that was copied to another name is refused. Exclusive access is a transaction that locks the
/// row. A process that is stopped longer than ``PostgresConfiguration/holdLimit`` loses it, and cannot overwrite what others have stored
/// since.
///
/// ```swift
/// let store = PostgresTokenStore("user-42", in: database, key: try .environment("TOKEN_KEY"))
/// ```
public final class PostgresRecordStore<Record: StoredRecord>: RecordStore {
    /// The maximum length of a name, in bytes.
    private static var maximumNameSize: Int { 512 }

    private let row: RowAccess.RowName
    private let database: PostgresDatabase
    private let format: RecordFile<Record>
    private let lockLimit: Duration
    private let holder = UUID().uuidString
    private let mutex = AsyncMutex()
    private let held = Locked<RowAccess?>(nil)

    /// Creates a store. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - name: The name of the row, such as the identifier of the user: 1 to 512 bytes without a null character. Records of
    ///     different types can have the same name.
    ///   - database: The database.
    ///   - key: The key of the encryption.
    ///   - lockLimit: The maximum time to wait for exclusive access.
    public init(_ name: String, in database: PostgresDatabase, key: RecordStoreKey, lockLimit: Duration = .seconds(90))
    {
        row = RowAccess.RowName(
            format: Record.format.name,
            name: name,
            maximumSize: RecordFile<Record>.maximumSize
        )
        self.database = database
        format = RecordFile(key: key, row: name)
        self.lockLimit = lockLimit
    }

    /// Returns the record in the row; `nil` if there is no row.
    ///
    /// - Throws: ``RecordStoreError`` or `CancellationError`.
    public func load() async throws -> Record? {
        let data = try await explaining("cannot be read", .cannotRead) { [self] in
            guard let access = heldAccess else { return try await database.read(row) }
            return access.isLost ? try await database.readWithinSlot(row) : try await access.load()
        }
        guard let data else { return nil }
        return try format.decode(data, location: location)
    }

    /// Replaces the record in the row. The change is committed when this returns.
    ///
    /// - Throws: ``RecordStoreError``. Nothing was written, unless the reason is ``RecordStoreError/Reason/unreachable`` or
    ///   ``RecordStoreError/Reason/timedOut``: then it is unknown whether the change was committed.
    public func save(_ record: Record) async throws {
        let data = try format.encode(record)
        try await write(data, "cannot be saved")
    }

    /// Removes the row.
    ///
    /// - Throws: ``RecordStoreError``, as ``save(_:)``.
    public func delete() async throws { try await write(nil, "cannot be removed") }

    /// Calls a closure while no other task and no other process calls one for the same row.
    ///
    /// Within the closure, further calls of this method on the same store run immediately. The access uses a connection of the
    /// pool for its whole duration. The closure may use one other row at a time, also exclusively. A third row within an exclusive
    /// access to the second one is refused (``RecordStoreError/Reason/configuration``).
    ///
    /// - Throws: The error of the closure, ``RecordStoreError`` or `CancellationError`.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        if ExclusiveAccess.isHeld(by: self) { return try await body() }
        let problem = RecordStoreError(
            .busy,
            "\(location) cannot be locked: other tasks of this process have held it for \(lockLimit); try again later"
        )
        return try await mutex.withLock(within: lockLimit, orThrow: problem) { [self] in
            try await explaining("cannot be locked", .cannotWrite) {
                try await database.pool.withSlot {
                    let access = database.access(to: row, holder: holder, lockLimit: lockLimit)
                    try await access.acquire()
                    held.withLock { $0 = access }
                    let result: Swift.Result<Result, any Error>
                    do {
                        result = .success(try await ExclusiveAccess.hold(for: self, body))
                    } catch {
                        result = .failure(error)
                    }
                    held.withLock { $0 = nil }
                    await access.release()
                    return try result.get()
                }
            }
        }
    }

    private func write(_ data: Data?, _ problem: String) async throws {
        try await withExclusiveAccess { [self] in
            try await explaining(problem, .cannotWrite) {
                guard let access = heldAccess else { throw PostgresFailure.accessLost }
                try await access.write(data)
            }
        }
    }

    /// The access of the current task; `nil` if it has none.
    private var heldAccess: RowAccess? { ExclusiveAccess.isHeld(by: self) ? held.withLock { $0 } : nil }

    /// Calls a closure, and replaces the failure of a connection by an error that states the attempt.
    private func explaining<Value: Sendable>(
        _ problem: String,
        _ reason: RecordStoreError.Reason,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard 1...Self.maximumNameSize ~= row.name.utf8.count, !row.name.utf8.contains(0) else {
            throw RecordStoreError(
                .configuration,
                "the name of a row has 1 to \(Self.maximumNameSize) bytes and no null character; use another name"
            )
        }
        do {
            return try await body()
        } catch let failure as PostgresFailure {
            throw await database.explained(failure).error("\(location) \(problem)", reason)
        }
    }

    private var location: String {
        "the \(Record.format.noun) row \(SanitizedText.make(from: row.name)) of \(database)"
    }
}

extension PostgresRecordStore: CustomStringConvertible {
    /// The kind of the record, the name of the row and the database.
    public var description: String { location }
}

/// Stores the tokens of a session in a row of a PostgreSQL database; see ``PostgresRecordStore``.
public typealias PostgresTokenStore = PostgresRecordStore<TokenRecord>

extension PostgresRecordStore: TokenStore where Record == TokenRecord {}

/// Stores the session of a `Journey` in a row of a PostgreSQL database; see ``PostgresRecordStore``.
public typealias PostgresSessionStore = PostgresRecordStore<JourneySessionRecord>

extension PostgresRecordStore: JourneySessionStore where Record == JourneySessionRecord {}

#endif
