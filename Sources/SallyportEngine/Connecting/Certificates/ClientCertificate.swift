import Foundation
import NIOSSL
import SallyportStorage
import SallyportTransport

/// The certificate chain and the private key in the files of a client identity.
package struct ClientCertificate: Sendable {
    package let chain: [NIOSSLCertificate]
    package let key: NIOSSLPrivateKey

    /// The reason why the files cannot be used.
    package struct Problem: Error {
        package enum Kind: Sendable {
            case unreadable, noKey, passwordMissing, passwordRefused
        }

        package let kind: Kind
        /// The path of the file with the problem.
        package let file: String
        /// A clause that follows the path.
        package let reason: String
    }

    /// The maximum size of each file in bytes.
    static let maximumFileSize = 1 << 20

    /// Reads the files, and checks that the key belongs to the certificate. Blocks while they are read.
    package init(_ identity: TransportSecurity.ClientIdentity) throws(Problem) {
        switch identity.format {
        case .pem:
            let path = identity.certificateFile.path
            let content = try Self.content(of: identity.certificateFile)
            guard !content.isEmpty, let chain = try? NIOSSLCertificate.fromPEMBytes(content), !chain.isEmpty else {
                throw Problem(kind: .unreadable, file: path, reason: "has no PEM certificate that can be read")
            }
            self.chain = chain
            key = try Self.key(in: identity.keyFile, identity.password)
        case .pkcs12:
            let bundle = try Self.bundle(in: identity.certificateFile, identity.password)
            (chain, key) = (bundle.certificateChain, bundle.privateKey)
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateChain = chain.map { .certificate($0) }
        tls.privateKey = .privateKey(key)
        guard (try? NIOSSLContext(configuration: tls)) != nil else {
            let reason = "has a key that does not belong to the certificate in \(identity.certificateFile.path)"
            throw Problem(kind: .unreadable, file: identity.keyFile.path, reason: reason)
        }
    }

    private static func content(of file: URL) throws(Problem) -> [UInt8] {
        do throws(FileSystemError) {
            if let content = try FileSystem.content(of: file, upTo: maximumFileSize) { return Array(content) }
        } catch {
            throw Problem(kind: .unreadable, file: file.path, reason: error.description)
        }
        let reason = "is longer than \(Quantity.size(Int64(maximumFileSize))), the maximum for certificates and keys"
        throw Problem(kind: .unreadable, file: file.path, reason: reason)
    }

    private static func key(in file: URL, _ password: String?) throws(Problem) -> NIOSSLPrivateKey {
        let path = file.path
        // NIOSSL cannot pass on other bytes: it converts each to a signed one.
        if let password, !password.utf8.allSatisfy({ 1..<0x80 ~= $0 }) {
            let reason = "cannot be decrypted with a password that is not ASCII; encrypt the key with another password"
            throw Problem(kind: .passwordRefused, file: path, reason: reason)
        }
        let content = try content(of: file)
        if content.isEmpty { throw Problem(kind: .noKey, file: path, reason: "is empty") }
        var isEncrypted = false
        let key = try? NIOSSLPrivateKey(bytes: content, format: .pem) { (set: NIOSSLPassphraseSetter<[UInt8]>) in
            isEncrypted = true
            if let password { set(Array(password.utf8)) }
        }
        if let key { return key }
        switch (isEncrypted, password) {
        case (false, _):
            throw Problem(kind: .noKey, file: path, reason: "has no PEM private key that can be read")
        case (true, nil):
            throw Problem(kind: .passwordMissing, file: path, reason: "has an encrypted private key")
        case (true, _?):
            let reason = "has a private key that cannot be decrypted with the password"
            throw Problem(kind: .passwordRefused, file: path, reason: reason)
        }
    }

    private static func bundle(in file: URL, _ password: String?) throws(Problem) -> NIOSSLPKCS12Bundle {
        let path = file.path
        let bytes = try content(of: file)
        let content = Data(bytes)
        guard PKCS12File.isLikely(content) else {
            throw Problem(kind: .unreadable, file: path, reason: "is not a PKCS #12 file that can be read")
        }
        // NIOSSL would end the process for a file without them. It also does if the key belongs to none of the certificates, which
        // cannot be recognized here, because the key is encrypted.
        guard PKCS12File.hasKeyAndCertificate(content) else {
            let reason = "is not a PKCS #12 file with a private key and its certificate"
            throw Problem(kind: .unreadable, file: path, reason: reason)
        }
        do {
            return try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: Array((password ?? "").utf8))
        } catch {
            guard "\(error)".contains("INCORRECT_PASSWORD") else {
                throw Problem(kind: .unreadable, file: path, reason: "is not a PKCS #12 file that can be read")
            }
            guard password != nil else {
                throw Problem(kind: .passwordMissing, file: path, reason: "is encrypted")
            }
            let reason = "cannot be decrypted with the password"
            throw Problem(kind: .passwordRefused, file: path, reason: reason)
        }
    }
}

/// The recognition of PKCS #12 files (RFC 7292).
package enum PKCS12File {
    /// Returns a Boolean value that indicates whether data begins as DER or BER does, and PEM does not.
    package static func isLikely(_ content: Data) -> Bool { content.first == 0x30 }

    /// Returns a Boolean value that indicates whether a file states the types of a private key and of a certificate, or of encrypted
    /// content that can be a certificate.
    ///
    /// Private keys are encrypted themselves, so that all known programs store their type in cleartext.
    static func hasKeyAndCertificate(_ content: Data) -> Bool {
        let hasKey = [1, 2].contains { content.firstRange(of: Data(bagType + [$0])) != nil }
        let certificates = [Data(bagType + [3]), Data(encryptedData)]
        return hasKey && certificates.contains { content.firstRange(of: $0) != nil }
    }

    /// The object identifier 1.2.840.113549.1.12.10.1 of the types of bags, without its last number.
    private static let bagType: [UInt8] = [
        0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01,
    ]
    /// The object identifier 1.2.840.113549.1.7.6 of encrypted content (RFC 2315).
    private static let encryptedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06]
}
