#if canImport(CryptoKit)
import CryptoKit
import Foundation
import SallyportJOSE

/// Keeps the private key of a device in its Secure Enclave, where it can be used but not read.
///
/// The stored form of a key is encrypted by the Secure Enclave, and of no use on another device.
///
/// ```swift
/// configuration.keys = SecureEnclaveKeys()
/// ```
public struct SecureEnclaveKeys: DeviceKeyProvider {
    /// A Boolean value that indicates whether this device has a Secure Enclave.
    public static var isAvailable: Bool { SecureEnclave.isAvailable }

    /// `secure-enclave`.
    public var name: String { "secure-enclave" }

    /// Creates a provider.
    public init() {}

    /// Generates a key in the Secure Enclave.
    public func generateKey() throws(JoseError) -> Data {
        do {
            return try SecureEnclave.P256.Signing.PrivateKey().dataRepresentation
        } catch {
            throw JoseError(.key, "The Secure Enclave could not generate a key.")
        }
    }

    /// Returns a key that signs in the Secure Enclave.
    public func signingKey(from stored: Data) throws(JoseError) -> SigningKey {
        let key: SecureEnclave.P256.Signing.PrivateKey
        do {
            key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: stored)
        } catch {
            throw JoseError(.key, "The stored key of the device belongs to another Secure Enclave.")
        }
        let publicKey = JsonWebKey.p256(publicPoint: key.publicKey.rawRepresentation)
        return try SigningKey(publicKey: publicKey, algorithm: .es256) { data in
            try key.signature(for: data).rawRepresentation
        }
    }
}
#endif

/// The default provider of device keys.
enum StandardDeviceKeys {
    static var provider: any DeviceKeyProvider {
        #if canImport(CryptoKit)
        if SecureEnclaveKeys.isAvailable { return SecureEnclaveKeys() }
        #endif
        return SoftwareDeviceKeys()
    }
}
