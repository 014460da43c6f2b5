import Foundation
import SallyportStorage

/// The content of the store of a ``SoftwareAuthenticator``: its PIN, passkeys and device keys.
///
/// It contains private keys. Its description contains none of them.
public struct AuthenticatorRecord: Sendable, Codable {
    /// The maximum number of passkeys, and of device keys.
    static let maximumKeys = 200

    /// The name of the owner; see ``SoftwareAuthenticator/init(store:owner:user:device:)``.
    public let owner: String
    /// The identifier of this device for device keys.
    var deviceID = UUID().uuidString
    var pin: AuthenticatorPIN?
    var passkeys: [Passkey] = []
    var deviceKeys: [DeviceKey] = []

    /// Creates an empty record.
    init(owner: String) {
        self.owner = owner
    }
}

extension AuthenticatorRecord: StoredRecord {
    /// The format of stored passkeys.
    public static let format = RecordFormat(
        name: "sallyport-passkeys",
        version: 1,
        noun: "passkey",
        recovery: "register again"
    )
}

extension AuthenticatorRecord {
    /// Checks that one more key can be stored.
    ///
    /// - Parameter count: The number of keys of its kind.
    func checkSpace(after count: Int) throws(AuthenticatorError) {
        guard count < Self.maximumKeys else {
            throw AuthenticatorError(
                .full,
                "the authenticator contains \(Self.maximumKeys) keys of this kind, which is the maximum",
                advice: "remove those that you no longer need"
            )
        }
    }
}

extension AuthenticatorRecord: CustomStringConvertible, CustomReflectable {
    /// The owner and the numbers of keys.
    public var description: String {
        "\(passkeys.count) passkeys and \(deviceKeys.count) device keys of \(owner)"
    }

    /// The same as ``description``, so that `dump` prints no key either.
    public var customMirror: Mirror { Mirror(self, children: ["record": description], displayStyle: .struct) }
}

/// Stores the keys of a ``SoftwareAuthenticator`` in memory, for the lifetime of the store.
public typealias MemoryAuthenticatorStore = MemoryRecordStore<AuthenticatorRecord>

/// Stores the keys of a ``SoftwareAuthenticator`` in a file that only its owner can read. Give it a key: the record contains private
/// keys.
public typealias FileAuthenticatorStore = FileRecordStore<AuthenticatorRecord>
