import Crypto
import CryptoExtras
import Foundation
import SallyportStorage

/// The PIN of an authenticator: its hash by scrypt (RFC 7914), and the number of attempts that are left.
struct AuthenticatorPIN: Sendable, Codable {
    /// The number of attempts to enter the PIN, as in CTAP2.
    static let attempts = 8
    /// The binary logarithm of the number of rounds: 16 MiB and about 50 ms.
    static let cost = 14

    private let salt: Data
    private let hash: Data
    private let cost: Int
    /// The number of attempts that are left.
    var attemptsLeft = Self.attempts

    /// Creates the hash of a new PIN.
    ///
    /// - Parameters:
    ///   - pin: A PIN of at least 4 characters and at most 63 bytes, as in CTAP2.
    ///   - cost: The binary logarithm of the number of rounds. Tests use a lower one.
    init(_ pin: String, cost: Int) async throws(AuthenticatorError) {
        guard Self.isValid(pin) else {
            throw AuthenticatorError(.invalidPIN, "the PIN has less than 4 characters or more than 63 bytes")
        }
        self.cost = cost
        salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        hash = try await Self.derive(pin, salt: salt, cost: cost)
    }

    /// Returns a Boolean value that indicates whether this is the hash of a PIN. The hashes are compared in constant time.
    func matches(_ pin: String) async throws(AuthenticatorError) -> Bool {
        guard Self.isValid(pin) else { return false }
        let other = try await Self.derive(pin, salt: salt, cost: cost)
        return SHA256.hash(data: other) == SHA256.hash(data: hash)
    }

    private static func derive(_ pin: String, salt: Data, cost: Int) async throws(AuthenticatorError) -> Data {
        let bytes = bytes(pin)
        // A stored cost may have been changed.
        guard (1...16).contains(cost) else {
            throw AuthenticatorError(.store, "the cost of the PIN's hash is out of bounds")
        }
        let key = await runBlocking {
            try? KDF.Scrypt.deriveKey(
                from: bytes,
                salt: salt,
                outputByteCount: 32,
                rounds: 1 << cost,
                blockSize: 8,
                parallelism: 1
            )
        }
        guard let key else { throw AuthenticatorError(.invalidPIN, "the PIN cannot be hashed") }
        return key.withUnsafeBytes { Data($0) }
    }

    private static func isValid(_ pin: String) -> Bool { pin.count >= 4 && bytes(pin).count <= 63 }

    /// Returns the bytes of a PIN, which are the same for all ways to enter its characters.
    private static func bytes(_ pin: String) -> Data { Data(pin.precomposedStringWithCanonicalMapping.utf8) }
}
