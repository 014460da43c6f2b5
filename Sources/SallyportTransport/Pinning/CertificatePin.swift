import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The hash of a public key that a server's certificate chain must contain.
///
/// It is the SHA-256 hash of the `SubjectPublicKeyInfo`, so it does not change when a certificate is renewed with the same key. For a
/// certificate in a file:
///
/// ```sh
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
public struct CertificatePin: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    /// Parses a pin.
    ///
    /// - Parameter text: `sha256/` and 32 bytes in base64.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` which quotes the text if it is not a pin.
    public init(_ text: String) throws(NetworkError) {
        let prefix = "sha256/"
        let digest = text.hasPrefix(prefix) ? Data(base64Encoded: String(text.dropFirst(prefix.count))) : nil
        guard let digest, digest.count == SHA256.byteCount else {
            let form = text.hasPrefix("sha256//") ? "; curl's form has an additional slash" : ""
            throw .invalidRequest(
                NetworkFailure(
                    "the pin \"\(text.prefix(100))\" is not the base64 of 32 bytes after sha256/",
                    advice: "write it as sha256/ and the base64 of a SHA-256 hash\(form)"
                )
            )
        }
        self.digest = [UInt8](digest)
    }

    /// Creates the pin of a certificate's public key.
    ///
    /// - Parameter certificatePEM: A PEM text. If it contains several certificates, the first is used; see
    ///   ``all(certificatesPEM:)`` for the others.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if there is no valid certificate.
    public init(certificatePEM: String) throws(NetworkError) {
        guard let der = PEMCertificates(certificatePEM)?.der.first else {
            throw .invalidRequest("the text contains no PEM certificate to create a pin from")
        }
        try self.init(certificateDER: Data(der))
    }

    /// Returns the pins of all certificates in a PEM text, such as a server's chain, in order.
    ///
    /// ```swift
    /// let chain = try CertificatePin.all(certificatesPEM: String(contentsOf: file, encoding: .utf8))
    /// try config.pins.pin(HostPattern("api.example.com"), to: [chain[0], backup])
    /// ```
    ///
    /// The pin of an authority accepts every server to which the authority issues a certificate.
    ///
    /// - Parameter certificatesPEM: A PEM text. Other blocks, such as private keys, and text between blocks are ignored.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if there is no certificate, or an invalid one.
    public static func all(certificatesPEM: String) throws(NetworkError) -> [CertificatePin] {
        guard let certificates = PEMCertificates(certificatesPEM)?.der, !certificates.isEmpty else {
            throw .invalidRequest("the text contains no PEM certificate to create a pin from")
        }
        var pins: [CertificatePin] = []
        for der in certificates { pins.append(try CertificatePin(certificateDER: Data(der))) }
        return pins
    }

    /// Creates the pin of a certificate's public key.
    ///
    /// - Parameter certificateDER: The certificate in DER.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if it is not a certificate.
    public init(certificateDER: Data) throws(NetworkError) {
        guard let fields = CertificateFields(der: [UInt8](certificateDER)) else {
            throw .invalidRequest("the data to create a pin from is not a certificate")
        }
        self.init(publicKeyInfo: fields.publicKeyInfo)
    }

    /// Creates the pin of a `SubjectPublicKeyInfo` in DER.
    package init(publicKeyInfo: some Sequence<UInt8>) {
        digest = Array(SHA256.hash(data: Array(publicKeyInfo)))
    }

    /// The text of the pin: `sha256/` and base64.
    public var description: String { "sha256/\(Data(digest).base64EncodedString())" }

    /// Compares two pins in constant time.
    public static func == (first: CertificatePin, second: CertificatePin) -> Bool {
        zip(first.digest, second.digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Hashes the pin.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
