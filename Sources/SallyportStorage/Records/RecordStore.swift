/// A record that a ``RecordStore`` can store.
///
/// A record contains its owner, such as the client to which tokens were issued, so that a record that was copied or replaced is
/// never used for another owner.
///
/// ```swift
/// struct Draft: StoredRecord {
///     static let format = RecordFormat(name: "myapp-draft", version: 1, noun: "draft", recovery: "write it again")
///     var owner: String
///     var text: String
/// }
///
/// let store = FileRecordStore<Draft>(at: file, key: try .environment("MYAPP_KEY"))
/// try await store.save(Draft(owner: "alice", text: "Hello"))
/// ```
public protocol StoredRecord: Codable, Sendable {
    /// The type that identifies the owner of a record.
    associatedtype Owner: Codable, Equatable, Sendable

    /// The name and version of the stored form.
    static var format: RecordFormat { get }

    /// The owner of the record. In an encrypted store it is readable without the key, and authenticated.
    var owner: Owner { get }
}

/// The format of stored records of one type: its name and version, and texts for errors about the records.
public struct RecordFormat: Sendable, Hashable {
    /// The name of the format, such as `sallyport-tokens`.
    public var name: String
    /// The version of the format. Records of an earlier version are refused as ``RecordStoreError/Reason/outdated``.
    public var version: Int
    /// The word for the content of a record in errors: "token" in "the token file …".
    public var noun: String
    /// The advice that errors give if a record cannot be used: "log in again".
    public var recovery: String

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - name: The name of the format.
    ///   - version: The version of the format.
    ///   - noun: The word for the content of a record in errors.
    ///   - recovery: The advice that errors give if a record cannot be used.
    public init(name: String, version: Int, noun: String, recovery: String) {
        self.name = name
        self.version = version
        self.noun = noun
        self.recovery = recovery
    }
}

/// Stores one record.
///
/// ``MemoryRecordStore``, ``FileRecordStore``, on Apple platforms `KeychainRecordStore`, and `PostgresRecordStore` of the module
/// SallyportPostgres conform to this protocol.
public protocol RecordStore<Record>: Sendable {
    /// The type of the record.
    associatedtype Record: StoredRecord

    /// Returns the stored record; `nil` if there is none.
    func load() async throws -> Record?

    /// Replaces the stored record durably: a crash after this call does not lose it.
    ///
    /// - Throws: An error if the record cannot be stored; the previous one is then unchanged.
    func save(_ record: Record) async throws

    /// Removes the stored record.
    func delete() async throws

    /// Calls a closure with exclusive access to the store, in this process and all others.
    ///
    /// - Throws: The error of the closure, or an error if the access could not be acquired in time.
    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result
}

extension RecordStore {
    /// Re-encrypts the record with the first key of the store.
    ///
    /// - Returns: `false` if there is no record.
    /// - Throws: The error of the store, and then the record is unchanged.
    @discardableResult
    public func reencrypt() async throws -> Bool {
        try await withExclusiveAccess {
            guard let record = try await load() else { return false }
            try await save(record)
            return true
        }
    }
}
