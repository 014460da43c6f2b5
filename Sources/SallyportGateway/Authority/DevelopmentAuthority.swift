import Crypto
import Foundation
import NIOCore
import SwiftASN1
import X509

/// A certificate authority for development. Each instance has a new key, which exists only in memory.
///
/// Its certificate is valid for 30 days, and the certificates that it issues for 7 days. All keys are P-256.
///
/// ```swift
/// let authority = try DevelopmentAuthority()
/// try authority.write(certificateTo: "authority.pem")   // curl --cacert authority.pem …
/// ```
public struct DevelopmentAuthority: Sendable {
    /// The loopback names and addresses.
    public static let loopbackHosts = ["localhost", "127.0.0.1", "::1"]

    /// The certificate of the authority, in PEM format.
    public let certificatePEM: String

    private let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// Creates an authority with a new key.
    ///
    /// - Parameter name: The common name of its certificate.
    /// - Throws: An error of swift-certificates if the name cannot be encoded.
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

    /// Writes the certificate, but not the key, to a file.
    ///
    /// - Throws: An error of Foundation that contains the path, if the file cannot be written.
    public func write(certificateTo path: String) throws {
        try Data(certificatePEM.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Issues a server certificate for host names and IP addresses.
    ///
    /// - Throws: ``GatewayError/invalidCertificateName(_:)`` if there are no hosts, or a host is neither an IP address nor
    ///   printable ASCII text without spaces.
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
    ///   - validity: The validity period.
    /// - Throws: An error of swift-certificates if the name cannot be encoded.
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

extension GeneralName {
    /// Creates an IP address if the text is one, otherwise a DNS name.
    init(host: String) throws {
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw GatewayError.invalidCertificateName(host)
        }
        switch try? SocketAddress(ipAddress: host, port: 0) {
        case .v4(let address):
            self = .ipAddress(ASN1OctetString(contentBytes: bytes(of: address.address.sin_addr)))
        case .v6(let address):
            self = .ipAddress(ASN1OctetString(contentBytes: bytes(of: address.address.sin6_addr)))
        default:
            self = .dnsName(host)
        }
    }
}

/// Returns the bytes of a C address, which are in network byte order.
private func bytes(of address: some Any) -> ArraySlice<UInt8> {
    withUnsafeBytes(of: address) { ArraySlice($0) }
}
