import Crypto
import Foundation

/// The curves for key agreement (`crv`; RFC 7518, section 6.2.1.1; RFC 8037, section 2).
public enum KeyAgreementCurve: String, Sendable, Hashable, CaseIterable, Codable {
    /// The NIST curve P-256.
    case p256 = "P-256"
    /// The NIST curve P-384.
    case p384 = "P-384"
    /// The NIST curve P-521.
    case p521 = "P-521"
    /// Curve25519 (RFC 7748).
    case x25519 = "X25519"
}

/// A key agreement with an ephemeral key (ECDH-ES; RFC 7518, section 4.6).
///
/// The sender needs only the recipient's public key. It sends its ``ephemeralKey`` with the message, and the recipient
/// computes the same secret from it. Both derive keys from the secret.
///
/// ```swift
/// let privateKey = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
///
/// // The sender:
/// let agreement = try KeyAgreement(with: privateKey.publicKey)
/// let key = agreement.deriveKey(algorithm: "example request")
///
/// // The recipient:
/// let received = try KeyAgreement(ephemeralKey: agreement.ephemeralKey, privateKey: privateKey)
/// let sameKey = received.deriveKey(algorithm: "example request")
/// ```
///
/// The agreement authenticates neither side: anybody who has the public key can be the sender. The exchanged public
/// keys are not an input of the key derivation. To bind the derived keys to them, pass their thumbprints to
/// ``deriveKey(algorithm:partyU:partyV:byteCount:)``.
public struct KeyAgreement: Sendable {
    /// The ephemeral public key, which the recipient needs (`epk`).
    public let ephemeralKey: JsonWebKey

    private let secret: SharedSecret

    /// Generates an ephemeral key on the curve of the recipient's key, and computes the secret.
    ///
    /// - Parameter recipient: The public key of the recipient on P-256, P-384, P-521 or X25519.
    /// - Throws: ``JoseError`` for an invalid key, or a key for another use.
    public init(with recipient: JsonWebKey) throws(JoseError) {
        try recipient.checkAgreement()
        let ephemeral = try JsonWebKey(members: KeyMembers.generated(on: recipient.agreementCurve))
        secret = try ephemeral.sharedSecret(with: recipient)
        ephemeralKey = ephemeral.publicKey
    }

    /// Computes the secret with the recipient's private key.
    ///
    /// - Parameters:
    ///   - ephemeralKey: The ephemeral public key that the sender has sent.
    ///   - privateKey: The private key of the recipient on the same curve.
    /// - Throws: ``JoseError`` for an invalid key, a key for another use, and keys on different curves.
    public init(ephemeralKey: JsonWebKey, privateKey: JsonWebKey) throws(JoseError) {
        try privateKey.checkAgreement()
        secret = try privateKey.sharedSecret(with: ephemeralKey)
        self.ephemeralKey = ephemeralKey.publicKey
    }

    /// Derives a key from the secret with ``ConcatKDF``.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm that the key is for (AlgorithmID). Use a different one for each key.
    ///   - partyU: Information about the sender (PartyUInfo).
    ///   - partyV: Information about the recipient (PartyVInfo).
    ///   - byteCount: The length of the key in bytes, which must be positive.
    public func deriveKey(
        algorithm: String,
        partyU: Data = Data(),
        partyV: Data = Data(),
        byteCount: Int = 32
    ) -> SymmetricKey {
        ConcatKDF.deriveKey(
            from: secret,
            algorithm: algorithm,
            partyU: partyU,
            partyV: partyV,
            byteCount: byteCount
        )
    }
}

/// The single-step key derivation function of NIST SP 800-56A with SHA-256, as JOSE uses it (RFC 7518, section 4.6.2).
///
/// ```swift
/// let key = ConcatKDF.deriveKey(from: secret, algorithm: "A128GCM", partyU: Data("Alice".utf8), byteCount: 16)
/// ```
public enum ConcatKDF {
    /// Derives a key from a shared secret.
    ///
    /// - Parameters:
    ///   - secret: The shared secret (Z).
    ///   - algorithm: The algorithm that the key is for (AlgorithmID).
    ///   - partyU: Information about the sender (PartyUInfo, `apu`).
    ///   - partyV: Information about the recipient (PartyVInfo, `apv`).
    ///   - byteCount: The length of the key in bytes, which must be positive.
    public static func deriveKey(
        from secret: some ContiguousBytes,
        algorithm: String,
        partyU: Data = Data(),
        partyV: Data = Data(),
        byteCount: Int
    ) -> SymmetricKey {
        precondition(byteCount > 0, "A key has at least one byte.")
        let information =
            lengthPrefixed(Data(algorithm.utf8)) + lengthPrefixed(partyU) + lengthPrefixed(partyV)
            + bigEndian(byteCount * 8)
        var derived = Data()
        var round = 1
        while derived.count < byteCount {
            var hash = SHA256()
            hash.update(data: bigEndian(round))
            secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(data: information)
            derived += hash.finalize()
            round += 1
        }
        return SymmetricKey(data: derived.prefix(byteCount))
    }

    private static func lengthPrefixed(_ bytes: Data) -> Data { bigEndian(bytes.count) + bytes }

    /// Returns a number in four bytes.
    private static func bigEndian(_ number: Int) -> Data { withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } }
}

extension JsonWebKey {
    /// The curve, if it is one for key agreement.
    var agreementCurve: KeyAgreementCurve {
        get throws(JoseError) {
            let curve = try knownCurve
            guard let curve = KeyAgreementCurve(rawValue: curve.rawValue) else {
                throw JoseError(.key, "Keys on \(curve.rawValue) are for signatures, not for key agreement.")
            }
            return curve
        }
    }

    /// Returns the shared secret of this private key and the other side's public key on the same curve.
    func sharedSecret(with other: JsonWebKey) throws(JoseError) -> SharedSecret {
        let curve = try agreementCurve
        guard try other.agreementCurve == curve else { throw JoseError(.key, "The keys are on different curves.") }
        let number = try bytes("d", count: knownCurve.length)
        let point = try other.publicPoint()
        let secret: SharedSecret = try withKeyErrors {
            switch curve {
            case .p256:
                try P256.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: point))
            case .p384:
                try P384.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: P384.KeyAgreement.PublicKey(x963Representation: point))
            case .p521:
                try P521.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: P521.KeyAgreement.PublicKey(x963Representation: point))
            case .x25519:
                try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: point))
            }
        }
        // With a point of small order, every shared secret is zero (RFC 7748, section 6.1).
        guard secret.withUnsafeBytes({ $0.contains { $0 != 0 } }) else {
            throw JoseError(.key, "The public key of the other side has a small order.")
        }
        return secret
    }

    /// Throws an error if the members of the key do not allow key agreement.
    fileprivate func checkAgreement() throws(JoseError) {
        try check(
            use: "enc",
            operations: ["deriveKey", "deriveBits"],
            algorithms: [KeyManagementAlgorithm.ecdhEs.rawValue]
        )
    }
}
