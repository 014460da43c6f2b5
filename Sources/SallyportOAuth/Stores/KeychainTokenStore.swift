#if canImport(Security)
import Dispatch
import Foundation
import Security

/// A store in the keychain of the device, as a generic password that is not part of backups.
///
/// Apps that share an access group share the tokens. To allow only one refresh at a time among them, pass the same lock file
/// in the container of their app group to all of them.
///
/// ```swift
/// let store = KeychainTokenStore(service: "com.example.myapp", account: "https://id.example.com")
/// ```
public final class KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String
    private let accessGroup: String?
    private let lock: FileTokenStore?
    private let format = TokenFileFormat(key: nil)
    private let mutex = AsyncMutex()
    /// The queue for blocking keychain calls, which keeps them off the cooperative thread pool.
    private let queue = DispatchQueue(label: "sallyport.keychain")

    /// Creates a store. The keychain is not accessed yet.
    ///
    /// - Parameters:
    ///   - service: The service of the keychain item, which identifies the app.
    ///   - account: The account of the keychain item, which identifies the login if there may be several.
    ///   - accessGroup: The access group of apps that share the tokens.
    ///   - lockFile: The file for exclusive access; a file with the suffix `.lock` is created in its directory and locked.
    public init(service: String, account: String = "tokens", accessGroup: String? = nil, lockFile: URL? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
        lock = lockFile.map { FileTokenStore(at: $0) }
    }

    /// Returns the record in the keychain; `nil` if there is none.
    ///
    /// - Throws: ``TokenStoreError``.
    public func load() async throws -> TokenRecord? {
        try await onQueue { [self] in
            var query = item
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw problem(.cannotRead, status) }
            return try format.record(in: data, location: "the item \(service) of the keychain")
        }
    }

    /// Replaces the record in the keychain.
    ///
    /// - Throws: ``TokenStoreError``.
    public func save(_ record: TokenRecord) async throws {
        let data = try format.data(record)
        try await onQueue { [self] in
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
    /// - Throws: ``TokenStoreError``.
    public func delete() async throws {
        try await onQueue { [self] in
            let status = SecItemDelete(item as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw problem(.cannotWrite, status) }
        }
    }

    /// Runs a closure with exclusive access, among all tasks of this process, or among all processes with the same lock file.
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

    private func problem(_ reason: TokenStoreError.Reason, _ status: OSStatus) -> TokenStoreError {
        let words = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "no reason given"
        let doing = reason == .cannotRead ? "read" : "written"
        return TokenStoreError(
            reason,
            "the tokens of \(service) cannot be \(doing) in the keychain: \(words) (\(status))"
        )
    }

    private func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }
}
#endif
