import Foundation
import SallyportStorage

/// The stored mechanisms of one owner, which ``PushClient`` and ``OneTimePasswords`` share: push mechanisms with their unanswered
/// messages, and accounts with one-time passwords.
///
/// It contains the secrets of the mechanisms. Its description contains none of them.
///
/// ```swift
/// let store = FileMechanismStore(at: file, key: try .environment("MECHANISM_KEY"))
/// let push = PushClient(store: store, owner: "alice")
/// let passwords = OneTimePasswords(store: store, owner: "alice")
/// ```
///
/// Each change is made with exclusive access to the store, so that tasks and processes can share it.
public struct MechanismRecord: Sendable, Codable {
    /// The maximum number of mechanisms of each kind.
    static let maximumMechanisms = 100
    /// The maximum number of push messages that can be answered. Messages expire, so that only a flood reaches it.
    static let maximumPending = 64
    /// The maximum number of received push messages that have not expired.
    static let maximumReceived = 1024

    /// The name of the owner; see ``PushClient/init(store:owner:httpClient:)``.
    public let owner: String
    var push: [PushMechanism] = []
    var passwords: [OneTimePasswordAccount] = []
    /// The push messages that have not been answered, in the order they were received.
    var pending: [PushMessage] = []
    /// The expiry of each received push message by its identifier. A message in this table is refused as a replay.
    var received: [String: Date] = [:]

    /// Creates an empty record.
    init(owner: String) {
        self.owner = owner
    }
}

extension MechanismRecord: StoredRecord {
    /// The format of stored mechanisms.
    public static let format = RecordFormat(
        name: "sallyport-mechanisms",
        version: 1,
        noun: "mechanism",
        recovery: "enroll again"
    )
}

extension MechanismRecord {
    /// Checks that one more mechanism can be stored.
    ///
    /// - Parameter count: The number of mechanisms of its kind.
    func checkSpace(after count: Int) throws(MechanismError) {
        guard count < Self.maximumMechanisms else {
            throw MechanismError(
                .full,
                "the store contains \(Self.maximumMechanisms) mechanisms of this kind, which is the maximum",
                advice: "remove those that you no longer need"
            )
        }
    }

    /// Removes the push messages that have expired.
    mutating func removeExpired(at now: Date) {
        received = received.filter { $0.value > now }
        pending.removeAll { $0.expiresAt <= now }
    }
}

extension MechanismRecord: CustomStringConvertible, CustomReflectable {
    /// The owner and the numbers of mechanisms.
    public var description: String {
        "\(push.count) push mechanisms and \(passwords.count) one-time password accounts of \(owner)"
    }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["record": description], displayStyle: .struct) }
}

/// Stores mechanisms in memory, for the lifetime of the store.
public typealias MemoryMechanismStore = MemoryRecordStore<MechanismRecord>

/// Stores mechanisms in a file that only its owner can read. Give it a key: the record contains secrets.
public typealias FileMechanismStore = FileRecordStore<MechanismRecord>

#if canImport(Security)
/// Stores mechanisms in the keychain of the device.
public typealias KeychainMechanismStore = KeychainRecordStore<MechanismRecord>
#endif
