import Crypto
import Foundation
import SallyportJOSE

/// The passkeys of the users.
final class Passkeys {
    /// The lifetime of a passkey, in seconds.
    private static let lifetime: TimeInterval = 365 * 24 * 3600

    /// A passkey.
    struct Passkey: Sendable {
        let username: String
        let key: P256.Signing.PublicKey
        var counter: UInt32
    }

    private let context: ServerContext
    private var passkeys = ExpiringTable<Data, Passkey>(limit: 4096, share: 20) { $1.username }
    private let handleKey = SymmetricKey(size: .bits256)

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Returns the identifier of a user for authenticators, which does not reveal the name.
    func handle(of username: String) -> String {
        Base64Url.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(username.utf8), using: handleKey)))
    }

    /// Stores a new passkey.
    ///
    /// - Returns: `false` if its identifier is in use, or the user has 20 passkeys.
    func add(_ passkey: Passkey, id: Data) -> Bool {
        let now = context.now
        return passkeys.insertNew(passkey, for: id, until: now + Self.lifetime, now: now)
    }

    func removeAll(of username: String) {
        passkeys.removeAll { $0.username == username }
    }

    /// Returns the passkey with an identifier.
    func passkey(_ id: Data) -> Passkey? { passkeys.value(for: id, now: context.now) }

    /// Stores the counter of a passkey's last signature.
    func setCounter(_ counter: UInt32, of id: Data) {
        passkeys.update(id, now: context.now) { $0.counter = counter }
    }

    /// Returns the identifiers of a user's passkeys.
    func identifiers(of username: String) -> [Data] {
        passkeys.keys { $0.username == username }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
