import SallyportStorage

/// The record of one owner in a store, which is changed with exclusive access.
///
/// A record of another owner is neither used nor replaced.
struct OwnedRecord<Record: StoredRecord, Failure: Error>: Sendable where Record.Owner == String {
    private let records: any RecordStore<Record>
    private let empty: Record
    private let failure: @Sendable (any Error) -> Failure

    /// - Parameters:
    ///   - records: The store.
    ///   - empty: The record to use if the store has none. Its owner is the expected one.
    ///   - failure: A closure that converts errors of the store, ``OtherOwner`` and cancellations. It returns a `Failure` unchanged.
    init(
        _ records: any RecordStore<Record>,
        orElse empty: Record,
        failure: @escaping @Sendable (any Error) -> Failure
    ) {
        self.records = records
        self.empty = empty
        self.failure = failure
    }

    /// Returns the stored record, or an empty one.
    func load() async throws(Failure) -> Record {
        do {
            guard let record = try await records.load() else { return empty }
            guard record.owner == empty.owner else { throw OtherOwner(expected: empty.owner) }
            return record
        } catch {
            throw failure(error)
        }
    }

    /// Changes the record with a closure, and stores it before this method returns.
    ///
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and then the record is unchanged, or the error of the store.
    func change<Value: Sendable>(
        _ body: @Sendable (inout Record) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        do {
            return try await records.withExclusiveAccess {
                var record = try await load()
                let value = try body(&record)
                try await records.save(record)
                return value
            }
        } catch {
            throw failure(error)
        }
    }
}

/// The error for a record that belongs to another owner.
struct OtherOwner: Error {
    /// The owner of the records that are used.
    let expected: String
}

extension OwnedRecord<MechanismRecord, MechanismError> {
    /// Creates the mechanisms of an owner.
    init(mechanismsIn store: any RecordStore<MechanismRecord>, owner: String) {
        self.init(store, orElse: MechanismRecord(owner: owner)) { MechanismError(ofStore: $0) }
    }
}
