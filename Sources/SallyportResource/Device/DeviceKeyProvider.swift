import Foundation
import SallyportJOSE

/// Generates and finds the key of a device (ES256).
///
/// ``SoftwareDeviceKeys`` keeps the private key in the device's record, and on Apple platforms `SecureEnclaveKeys` keeps it in the
/// Secure Enclave. Implement this protocol to use other hardware, such as a TPM.
public protocol DeviceKeyProvider: Sendable {
    /// The name of this provider. It is stored with the key, so that no other provider uses it.
    var name: String { get }

    /// Generates a key.
    ///
    /// - Returns: The bytes with which ``signingKey(from:)`` finds the key again. They are stored in the device's record.
    /// - Throws: `JoseError` if the key cannot be generated.
    func generateKey() throws(JoseError) -> Data

    /// Returns a key for signatures with ES256.
    ///
    /// - Parameter stored: The result of ``generateKey()``.
    /// - Throws: `JoseError` if the key cannot be found.
    func signingKey(from stored: Data) throws(JoseError) -> SigningKey
}

/// Keeps the private key in the device's record. Give the store of the record a key of its own, so that it is encrypted.
public struct SoftwareDeviceKeys: DeviceKeyProvider {
    /// `software`.
    public var name: String { "software" }

    /// Creates a provider.
    public init() {}

    /// Generates a key.
    ///
    /// - Returns: The private key as JSON (RFC 7517): a secret.
    public func generateKey() throws(JoseError) -> Data {
        let key = try SigningKey.generate(.es256)
        do {
            return try JSONEncoder().encode(key)
        } catch {
            throw JoseError(.key, "The new key of the device could not be encoded.")
        }
    }

    /// Returns the key in its stored form.
    public func signingKey(from stored: Data) throws(JoseError) -> SigningKey {
        guard let key = try? JSONDecoder().decode(SigningKey.self, from: stored), key.algorithm == .es256 else {
            throw JoseError(.key, "The stored key of the device is not a private key for ES256.")
        }
        return key
    }
}
