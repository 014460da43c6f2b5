#if canImport(Security)
import Foundation
import Security

/// Stores a record in the keychain of the device, as a generic password that is not part of backups.
///
/// Apps with the same access group share the record. They must use the same lock file, in the container of their app group,
/// so that only one of them changes the record at a time.
///
/// ```swift
/// let store = KeychainTokenStore(service: "com.example.myapp", account: "https://id.example.com")
/// ```
public final class KeychainRecordStore<Record: StoredRecord>: RecordStore {
    private let service: String
    private let account: String
    private let accessGroup: String?
    private let lock: FileRecordStore<Record>?
    private let format = RecordFile<Record>(key: nil)
    private let mutex = AsyncMutex()

    /// Creates a store. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - service: The name of your app.
    ///   - account: The name of the record, if your app has several.
    ///   - accessGroup: The access group of the apps that share the record; `nil` for your app's default access group.
    ///   - lockFile: The path of the lock file without its extension `.lock`; `nil` if no other process uses the record.
    public init(service: String, account: String = "tokens", accessGroup: String? = nil, lockFile: URL? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
        lock = lockFile.map { FileRecordStore(at: $0) }
    }

    /// Returns the record in the keychain; `nil` if there is none.
    ///
    /// - Throws: ``RecordStoreError``.
    public func load() async throws -> Record? {
        try await runBlocking { [self] in
            var query = item
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw problem(.cannotRead, status) }
            return try format.decode(data, location: "the item \(service) of the keychain")
        }
    }

    /// Replaces the record in the keychain.
    ///
    /// - Throws: ``RecordStoreError``.
    public func save(_ record: Record) async throws {
        let data = try format.encode(record)
        try await runBlocking { [self] in
            let change: [String: Any] = [kSecValueData as String: data]
            var status = SecItemUpdate(item as CFDictionary, change as CFDictionary)
            if status == errSecItemNotFound {
                var new = item
                new[kSecValueData as String] = data
                new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                status = SecItemAdd(new as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw problem(.cannotWrite, status) }
        }
    }

    /// Removes the record from the keychain.
    ///
    /// - Throws: ``RecordStoreError``.
    public func delete() async throws {
        try await runBlocking { [self] in
            let status = SecItemDelete(item as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw problem(.cannotWrite, status) }
        }
    }

    /// Calls a closure while no other task calls one with this store; with a lock file, no other process either.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        if let lock { return try await lock.withExclusiveAccess(body) }
        return try await mutex.withLock(body)
    }

    private var item: [String: Any] {
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
        return item
    }

    private func problem(_ reason: RecordStoreError.Reason, _ status: OSStatus) -> RecordStoreError {
        let message = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "unknown error"
        let attempt = reason == .cannotRead ? "read" : "written"
        return RecordStoreError(
            reason,
            "the \(Record.format.noun)s of \(service) cannot be \(attempt) in the keychain: \(message) (\(status))"
        )
    }
}
#endif
