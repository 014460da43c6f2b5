import Crypto
import Foundation
import SallyportJOSE
import SallyportTransport

/// A passkey in a ``SoftwareAuthenticator``: a discoverable WebAuthn credential with a key for ES256.
///
/// Its description does not contain the key.
public struct Passkey: Sendable, Codable, Identifiable {
    /// The identifier of the credential.
    public let id: Data
    /// The domain of the servers that the passkey is for.
    public let relyingPartyID: String
    /// The identifier of the user at the server (user handle).
    public let userID: Data
    /// The name of the user at the server.
    public let userName: String
    /// The time at which the passkey was created.
    public let createdAt: Date
    /// The number of signatures that were made with the passkey.
    public internal(set) var signatureCount: UInt32 = 0

    private let key: Data

    /// Creates a passkey with a new key.
    init(relyingPartyID: String, userID: Data, userName: String, at now: Date) {
        id = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        self.relyingPartyID = relyingPartyID
        self.userID = userID
        self.userName = userName
        createdAt = now
        key = P256.Signing.PrivateKey().rawRepresentation
    }

    private var privateKey: P256.Signing.PrivateKey {
        get throws(AuthenticatorError) {
            do {
                return try P256.Signing.PrivateKey(rawRepresentation: key)
            } catch {
                throw AuthenticatorError(
                    .store,
                    "the key of the passkey cannot be read",
                    advice: "register a new passkey"
                )
            }
        }
    }

    /// Returns the public key in COSE (RFC 9052): an elliptic curve key on P-256 for ES256.
    func publicKey() throws(AuthenticatorError) -> Data {
        let point = try privateKey.publicKey.rawRepresentation
        return CborValue.map([
            (key: .integer(1), value: .integer(2)),  // kty: EC2
            (key: .integer(3), value: .integer(Int64(Self.algorithm))),
            (key: .integer(-1), value: .integer(1)),  // crv: P-256
            (key: .integer(-2), value: .bytes(point.prefix(32))),
            (key: .integer(-3), value: .bytes(point.suffix(32))),
        ]).encoded()
    }

    /// Returns a signature in ASN.1 DER.
    func sign(_ data: Data) throws(AuthenticatorError) -> Data {
        let key = try privateKey
        do {
            return try key.signature(for: data).derRepresentation
        } catch {
            throw AuthenticatorError(.store, "the key of the passkey cannot sign", advice: "register a new passkey")
        }
    }

    /// The identifier of ES256 in COSE (RFC 9053, section 2.1).
    static let algorithm = -7
}

extension Passkey: CustomStringConvertible, CustomReflectable {
    /// The user and the relying party, safe to show on one line.
    public var description: String { VisibleText.line("\(userName) at \(relyingPartyID)", longest: 300) }

    /// The same as ``description``, so that `dump` does not print the key either.
    public var customMirror: Mirror { Mirror(self, children: ["passkey": description], displayStyle: .struct) }
}
