import Crypto
import CryptoExtras
import Foundation

/// The content encryption algorithms (RFC 7518, section 5).
public enum ContentEncryption: String, Sendable, Hashable, CaseIterable, Codable {
    /// AES-GCM with a key of 128 bits (section 5.3).
    case a128gcm = "A128GCM"
    /// AES-GCM with a key of 192 bits (section 5.3).
    case a192gcm = "A192GCM"
    /// AES-GCM with a key of 256 bits (section 5.3).
    case a256gcm = "A256GCM"
    /// AES-CBC with a key of 128 bits, and HMAC with SHA-256 (section 5.2).
    case a128cbcHs256 = "A128CBC-HS256"
    /// AES-CBC with a key of 192 bits, and HMAC with SHA-384 (section 5.2).
    case a192cbcHs384 = "A192CBC-HS384"
    /// AES-CBC with a key of 256 bits, and HMAC with SHA-512 (section 5.2).
    case a256cbcHs512 = "A256CBC-HS512"

    /// The length of the key in bytes.
    var keyLength: Int {
        switch self {
        case .a128gcm: 16
        case .a192gcm: 24
        case .a256gcm, .a128cbcHs256: 32
        case .a192cbcHs384: 48
        case .a256cbcHs512: 64
        }
    }
}

/// The encrypted content of a message, with its nonce, authentication tag and authenticated data.
struct EncryptedContent {
    let nonce: Data
    let ciphertext: Data
    let tag: Data
    /// The protected header in base64url, which is authenticated.
    let authenticated: Data
}

extension JoseError {
    /// The error for every failure to decrypt, so that it does not reveal which step failed.
    static let cannotDecrypt = JoseError(.decryption, "The message cannot be decrypted with the key.")
}

extension ContentEncryption {
    /// Verifies the tag and decrypts the content.
    func open(_ content: EncryptedContent, with key: SymmetricKey) throws(JoseError) -> Data {
        do {
            switch self {
            case .a128gcm, .a192gcm, .a256gcm:
                guard content.nonce.count == 12, content.tag.count == 16 else { throw JoseError.cannotDecrypt }
                let nonce = try AES.GCM.Nonce(data: content.nonce)
                let box = try AES.GCM.SealedBox(nonce: nonce, ciphertext: content.ciphertext, tag: content.tag)
                return try AES.GCM.open(box, using: key, authenticating: content.authenticated)
            case .a128cbcHs256, .a192cbcHs384, .a256cbcHs512:
                let (authentication, encryption) = halves(of: key)
                let expected = tag(of: content.ciphertext, content.nonce, content.authenticated, key: authentication)
                guard content.nonce.count == 16, ConstantTime.areEqual(content.tag, expected) else {
                    throw JoseError.cannotDecrypt
                }
                return try AES._CBC.decrypt(
                    content.ciphertext,
                    using: encryption,
                    iv: AES._CBC.IV(ivBytes: content.nonce)
                )
            }
        } catch {
            throw .cannotDecrypt
        }
    }

    /// Encrypts content with a new random nonce.
    func seal(
        _ plaintext: Data,
        authenticating header: Data,
        with key: SymmetricKey
    ) throws(JoseError) -> EncryptedContent {
        do {
            switch self {
            case .a128gcm, .a192gcm, .a256gcm:
                let box = try AES.GCM.seal(plaintext, using: key, authenticating: header)
                return EncryptedContent(
                    nonce: Data(box.nonce),
                    ciphertext: box.ciphertext,
                    tag: box.tag,
                    authenticated: header
                )
            case .a128cbcHs256, .a192cbcHs384, .a256cbcHs512:
                let (authentication, encryption) = halves(of: key)
                let vector = AES._CBC.IV()
                let nonce = Data(vector)
                let ciphertext = try AES._CBC.encrypt(plaintext, using: encryption, iv: vector)
                return EncryptedContent(
                    nonce: nonce,
                    ciphertext: ciphertext,
                    tag: tag(of: ciphertext, nonce, header, key: authentication),
                    authenticated: header
                )
            }
        } catch {
            throw JoseError(.key, "The content cannot be encrypted with the key.")
        }
    }

    private func halves(of key: SymmetricKey) -> (authentication: SymmetricKey, encryption: SymmetricKey) {
        key.withUnsafeBytes { bytes in
            (SymmetricKey(data: bytes.prefix(bytes.count / 2)), SymmetricKey(data: bytes.suffix(bytes.count / 2)))
        }
    }

    /// Returns the authentication tag of AES-CBC with HMAC (RFC 7518, section 5.2.2.1, step 5).
    private func tag(of ciphertext: Data, _ nonce: Data, _ header: Data, key: SymmetricKey) -> Data {
        let length = withUnsafeBytes(of: UInt64(header.count * 8).bigEndian) { Data($0) }
        let text = header + nonce + ciphertext + length
        let code =
            switch self {
            case .a192cbcHs384: Data(HMAC<SHA384>.authenticationCode(for: text, using: key))
            case .a256cbcHs512: Data(HMAC<SHA512>.authenticationCode(for: text, using: key))
            default: Data(HMAC<SHA256>.authenticationCode(for: text, using: key))
            }
        return code.prefix(keyLength / 2)
    }
}

/// Compares secrets in a time that does not depend on where they differ. The time reveals whether their lengths differ.
package enum ConstantTime {
    package static func areEqual(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
