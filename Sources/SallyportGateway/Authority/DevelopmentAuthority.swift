import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority for development, made anew each time and kept in memory only.
///
/// Its certificate is valid for 30 days; what it issues, for 7. All keys are P-256.
///
/// ```swift
/// let authority = try DevelopmentAuthority()
/// try authority.write(certificateTo: "authority.pem")   // curl --cacert authority.pem …
/// ```
public struct DevelopmentAuthority: Sendable {
    /// The names and addresses of this machine for itself.
    public static let loopbackHosts = ["localhost", "127.0.0.1", "::1"]

    /// The certificate to trust, as PEM text.
    public let certificatePEM: String

    private let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// Makes a new authority with a new key.
    ///
    /// - Parameter name: The common name of its certificate.
    /// - Throws: An error of swift-certificates when the name cannot be encoded.
    public init(name: String = "Sallyport development authority") throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName(name) }
        let now = Date()
        certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: now - .hour,
            notValidAfter: now + 30 * .day,
            issuer: subject,
            subject: subject,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key
        )
        certificatePEM = try certificate.serializeAsPEM().pemString + "\n"
        self.key = key
    }

    /// Writes the certificate, never the key, for other programs to trust.
    ///
    /// - Throws: An error of Foundation that names the path when it cannot be written.
    public func write(certificateTo path: String) throws {
        try Data(certificatePEM.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Issues a server certificate for exactly the given host names and IP addresses.
    ///
    /// - Throws: ``GatewayError/invalidCertificateName(_:)`` when there is none, or one that cannot be in a certificate.
    public func issue(
        hosts: [String] = loopbackHosts,
        validity: CertificateValidity = .current
    ) throws -> IssuedCertificate {
        let names = SubjectAlternativeNames(try hosts.map(GeneralName.init(host:)))
        guard let commonName = hosts.first else { throw GatewayError.invalidCertificateName("") }
        return try issue(commonName: commonName, usage: .serverAuth, names: names, validity: validity)
    }

    /// Issues a client certificate, for mutual TLS.
    ///
    /// - Parameters:
    ///   - name: The common name of the client.
    ///   - validity: When it is valid.
    /// - Throws: An error of swift-certificates when the name cannot be encoded.
    public func issueClient(
        name: String,
        validity: CertificateValidity = .current
    ) throws -> IssuedCertificate {
        try issue(commonName: name, usage: .clientAuth, names: nil, validity: validity)
    }

    private func issue(
        commonName: String,
        usage: ExtendedKeyUsage.Usage,
        names: SubjectAlternativeNames?,
        validity: CertificateValidity
    ) throws -> IssuedCertificate {
        let leafKey = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(leafKey.publicKey)
        let (start, end) = validity.interval(until: certificate.notValidAfter)
        let leaf = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: start,
            notValidAfter: end,
            issuer: certificate.subject,
            subject: try DistinguishedName { CommonName(commonName) },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([usage])
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
                if let names {
                    names
                }
            },
            issuerPrivateKey: key
        )
        return IssuedCertificate(
            chainPEM: try leaf.serializeAsPEM().pemString + "\n" + certificatePEM,
            privateKeyPEM: leafKey.pemRepresentation + "\n"
        )
    }
}
