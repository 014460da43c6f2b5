import SallyportStorage

/// Stores the tokens of one session.
///
/// ``MemoryTokenStore``, ``FileTokenStore``, on Apple platforms `KeychainTokenStore`, and `PostgresTokenStore` of the module
/// SallyportPostgres conform to this protocol. An ``OAuthSession`` changes the store only within
/// ``RecordStore/withExclusiveAccess(_:)``.
public protocol TokenStore: RecordStore where Record == TokenRecord {}

/// Stores tokens in memory, for the lifetime of the store.
public typealias MemoryTokenStore = MemoryRecordStore<TokenRecord>

/// Stores tokens in a file that only its owner can read. Any number of processes can share it; see ``FileRecordStore``.
public typealias FileTokenStore = FileRecordStore<TokenRecord>

/// The encryption key of a ``FileTokenStore``.
public typealias TokenStoreKey = RecordStoreKey

/// An error of a ``TokenStore``.
public typealias TokenStoreError = RecordStoreError

extension MemoryRecordStore: TokenStore where Record == TokenRecord {}

extension FileRecordStore: TokenStore where Record == TokenRecord {}

#if canImport(Security)
/// Stores tokens in the keychain of the device; see ``KeychainRecordStore``.
public typealias KeychainTokenStore = KeychainRecordStore<TokenRecord>

extension KeychainRecordStore: TokenStore where Record == TokenRecord {}
#endif
