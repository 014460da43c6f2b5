import Crypto
import Foundation
import SallyportJOSE

/// The data that an authenticator signs (WebAuthn Level 2, section 6.1).
struct AuthenticatorData: Sendable {
    /// A credential that an authenticator has created.
    struct Credential: Sendable {
        let id: Data
        /// The public key for ES256.
        let key: P256.Signing.PublicKey
    }

    /// The SHA-256 hash of the identifier of the relying party.
    let relyingPartyHash: Data
    let isUserPresent: Bool
    let isUserVerified: Bool
    let counter: UInt32
    /// The new credential; `nil` in an assertion.
    let credential: Credential?

    /// Parses authenticator data.
    ///
    /// - Throws: ``PasskeyProblem`` if it is too short or too long, or the new credential has another kind of key.
    init(_ data: Data) throws(PasskeyProblem) {
        let data = Data(data)
        guard data.count >= 37 else { throw PasskeyProblem("The authenticator data is too short.") }
        relyingPartyHash = data.prefix(32)
        let flags = data[32]
        isUserPresent = flags & 0x01 != 0
        isUserVerified = flags & 0x04 != 0
        counter = data[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = Data(data.dropFirst(37))
        credential = flags & 0x40 != 0 ? try Self.credential(&rest) : nil
        if flags & 0x80 != 0 {
            guard case .map? = CborValue.decode(&rest) else {
                throw PasskeyProblem("The extensions in the authenticator data are not a CBOR map.")
            }
        }
        guard rest.isEmpty else { throw PasskeyProblem("The authenticator data is too long.") }
    }

    /// Parses the credential after the identifier of the authenticator's model (section 6.5.2).
    private static func credential(_ rest: inout Data) throws(PasskeyProblem) -> Credential {
        guard rest.count >= 18 else { throw PasskeyProblem("The new credential is too short.") }
        let start = Data(rest.dropFirst(16))
        let length = Int(start[0]) << 8 | Int(start[1])
        guard (1...1023).contains(length), start.count >= 2 + length else {
            throw PasskeyProblem("The length of the credential's identifier is invalid.")
        }
        let id = Data(start[2..<2 + length])
        rest = Data(start.dropFirst(2 + length))
        guard let key = CborValue.decode(&rest) else { throw PasskeyProblem("The public key is not in CBOR.") }
        return Credential(id: id, key: try publicKey(key))
    }

    /// Returns the key of a COSE key for ES256 (RFC 9052, section 7; RFC 9053, section 7.1.1).
    private static func publicKey(_ key: CborValue) throws(PasskeyProblem) -> P256.Signing.PublicKey {
        guard key[.integer(1)] == .integer(2), key[.integer(3)] == .integer(-7), key[.integer(-1)] == .integer(1) else {
            throw PasskeyProblem("The public key is not a key for ES256 on P-256.")
        }
        guard let x = key[.integer(-2)]?.bytes, let y = key[.integer(-3)]?.bytes, x.count == 32, y.count == 32,
            let point = try? P256.Signing.PublicKey(x963Representation: Data([4]) + x + y)
        else { throw PasskeyProblem("The public key is not a point on P-256.") }
        return point
    }
}

/// The reason why the response of an authenticator is refused. It contains no secret.
struct PasskeyProblem: Error, Equatable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
