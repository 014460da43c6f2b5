import Crypto
import Foundation
import SallyportOAuth
import SallyportStorage
import SallyportTransport

/// The stores of a ``DeviceIdentity``: one for the identity itself, and one for the tokens of each session.
///
/// ```swift
/// let stores = DeviceStores.files(in: folder, key: try .environment("MYAPP_KEY"))
/// ```
public struct DeviceStores: Sendable {
    /// The store of the identity.
    public let device: any RecordStore<DeviceIdentityRecord>
    /// The store of the device's tokens.
    public let deviceTokens: any TokenStore
    /// The store of the signed-in user's tokens.
    public let userTokens: any TokenStore
    /// A closure that returns the store of the implicit tokens of a user. Stores for different users must be different.
    public let implicitTokens: @Sendable (_ user: String) -> any TokenStore

    /// Creates stores.
    public init(
        device: any RecordStore<DeviceIdentityRecord>,
        deviceTokens: any TokenStore,
        userTokens: any TokenStore,
        implicitTokens: @escaping @Sendable (_ user: String) -> any TokenStore
    ) {
        self.device = device
        self.deviceTokens = deviceTokens
        self.userTokens = userTokens
        self.implicitTokens = implicitTokens
    }

    /// Re-encrypts all records with the first key of the stores.
    ///
    /// - Returns: The number of records.
    public func reencrypt() async throws -> Int {
        let users = try await device.load()?.users ?? []
        var count = try await device.reencrypt() ? 1 : 0
        for tokens in [deviceTokens, userTokens] + users.map(implicitTokens) {
            count += try await tokens.reencrypt() ? 1 : 0
        }
        return count
    }

    /// Returns stores in memory. The device registers again in each process.
    public static func memory() -> DeviceStores {
        let implicit = Locked<[String: MemoryTokenStore]>([:])
        return DeviceStores(
            device: MemoryRecordStore(),
            deviceTokens: MemoryTokenStore(),
            userTokens: MemoryTokenStore()
        ) { user in
            implicit.withLock { stores in
                if let store = stores[user] { return store }
                let store = MemoryTokenStore()
                stores[user] = store
                return store
            }
        }
    }

    /// Returns stores in files that only their owner can read, which processes can share.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files.
    ///   - key: The key of the encryption; `nil` stores the device's key and the tokens in plain text.
    public static func files(in folder: URL, key: RecordStoreKey? = nil) -> DeviceStores {
        func file(_ name: String) -> URL { folder.appendingPathComponent(name + ".json") }
        return DeviceStores(
            device: FileRecordStore(at: file("device-identity"), key: key),
            deviceTokens: FileTokenStore(at: file("device-tokens"), key: key),
            userTokens: FileTokenStore(at: file("user-tokens"), key: key)
        ) { user in
            FileTokenStore(at: folder.appendingPathComponent("implicit-\(hash(of: user)).json"), key: key)
        }
    }

    #if canImport(Security)
    /// Returns stores in the keychain of the device.
    ///
    /// - Parameters:
    ///   - service: The name of your app.
    ///   - accessGroup: The access group of the apps that share the identity.
    ///   - lockFolder: The folder for lock files, so that several stores and processes change the identity one after the other. Apps with
    ///     the same access group use a folder in the container of their app group.
    public static func keychain(
        service: String,
        accessGroup: String? = nil,
        lockFolder: URL
    ) -> DeviceStores {
        @Sendable func store<Record: StoredRecord>(_ name: String, of _: Record.Type) -> KeychainRecordStore<Record> {
            KeychainRecordStore(
                service: service,
                account: name,
                accessGroup: accessGroup,
                lockFile: lockFolder.appendingPathComponent(name)
            )
        }
        return DeviceStores(
            device: store("device-identity", of: DeviceIdentityRecord.self),
            deviceTokens: store("device-tokens", of: TokenRecord.self),
            userTokens: store("user-tokens", of: TokenRecord.self)
        ) { user in
            store("implicit-\(hash(of: user))", of: TokenRecord.self)
        }
    }
    #endif

    /// Returns a file name for any user: the hash of the subject identifier in hexadecimal digits.
    private static func hash(of user: String) -> String {
        SHA256.hash(data: Data(user.utf8)).hexadecimal
    }
}
