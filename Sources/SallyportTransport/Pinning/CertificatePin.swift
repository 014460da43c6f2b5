import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The hash of a public key that a server's chain of certificates has to hold.
///
/// It is the SHA-256 of the key with its algorithm (`SubjectPublicKeyInfo`), so it stays the same when a certificate is
/// renewed with the same key. For a certificate in a file:
///
/// ```sh
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
public struct CertificatePin: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    /// Reads a pin.
    ///
    /// - Parameter text: `sha256/` and 32 bytes in base64.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` quoting a text that is something else.
    public init(_ text: String) throws(NetworkError) {
        let prefix = "sha256/"
        let digest = text.hasPrefix(prefix) ? Data(base64Encoded: String(text.dropFirst(prefix.count))) : nil
        guard let digest, digest.count == SHA256.byteCount else {
            let form = text.hasPrefix("sha256//") ? "; curl's form has one slash more" : ""
            throw .invalidRequest(
                NetworkFailure(
                    "the pin \"\(text.prefix(100))\" is not the base64 of 32 bytes after sha256/",
                    advice: "write it as sha256/ and the base64 of a SHA-256 hash\(form)"
                )
            )
        }
        self.digest = [UInt8](digest)
    }

    /// Makes the pin of a certificate's public key.
    ///
    /// - Parameter certificatePEM: A text with a certificate in PEM; of several the first is taken.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if there is none, or it cannot be read.
    public init(certificatePEM: String) throws(NetworkError) {
        guard let der = PEMCertificates(certificatePEM)?.der.first else {
            throw .invalidRequest("the text to make a pin of holds no certificate in PEM")
        }
        try self.init(certificateDER: Data(der))
    }

    /// Makes the pin of a certificate's public key.
    ///
    /// - Parameter certificateDER: The certificate in DER.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if it cannot be read.
    public init(certificateDER: Data) throws(NetworkError) {
        guard let outline = CertificateOutline(der: [UInt8](certificateDER)) else {
            throw .invalidRequest("what a pin is to be made of is not a certificate")
        }
        self.init(publicKeyInfo: outline.publicKeyInfo)
    }

    /// Makes the pin of a public key with its algorithm, in DER.
    package init(publicKeyInfo: some Sequence<UInt8>) {
        digest = Array(SHA256.hash(data: Array(publicKeyInfo)))
    }

    /// The pin as it is written: `sha256/` and base64.
    public var description: String { "sha256/\(Data(digest).base64EncodedString())" }

    /// Compares all bytes, however early two pins differ.
    public static func == (first: CertificatePin, second: CertificatePin) -> Bool {
        zip(first.digest, second.digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Hashes the pin.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
