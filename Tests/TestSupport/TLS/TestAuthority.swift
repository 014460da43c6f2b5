import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority made for a test, which nobody else trusts.
public struct TestAuthority: Sendable {
    /// A certificate with its private key, both in PEM.
    public struct Identity: Sendable {
        /// The certificate.
        public let certificatePEM: String
        /// Its private key.
        public let keyPEM: String
    }

    /// The authority's own certificate, in PEM.
    public let certificatePEM: String

    private let name: DistinguishedName
    private let key: Certificate.PrivateKey

    /// Makes an authority with a key of its own.
    public init(name: String = "Sallyport test authority") throws {
        self.name = try DistinguishedName { CommonName(name) }
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        certificatePEM = try Self.certificate(
            for: self.name,
            key: key.publicKey,
            by: (self.name, key),
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }
        )
    }

    /// Makes an identity for a server.
    ///
    /// - Parameters:
    ///   - hosts: The DNS names in the certificate.
    ///   - addresses: The IPv4 addresses in the certificate, each of four bytes.
    public func serverIdentity(
        hosts: [String] = ["localhost"],
        addresses: [[UInt8]] = [[127, 0, 0, 1]]
    ) throws -> Identity {
        let names = hosts.map { GeneralName.dnsName($0) }
        let numbers = addresses.map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...])) }
        return try identity(
            name: "Sallyport test server",
            extensions: Certificate.Extensions {
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names + numbers)
            }
        )
    }

    /// Makes an identity for a client.
    public func clientIdentity(name: String = "Sallyport test client") throws -> Identity {
        try identity(
            name: name,
            extensions: Certificate.Extensions {
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.clientAuth])
            }
        )
    }

    private func identity(name: String, extensions: Certificate.Extensions) throws -> Identity {
        let key = P256.Signing.PrivateKey()
        let certificate = try Self.certificate(
            for: try DistinguishedName { CommonName(name) },
            key: Certificate.PublicKey(key.publicKey),
            by: (self.name, self.key),
            extensions: extensions
        )
        return Identity(certificatePEM: certificate, keyPEM: key.pemRepresentation)
    }

    private static func certificate(
        for subject: DistinguishedName,
        key: Certificate.PublicKey,
        by issuer: (name: DistinguishedName, key: Certificate.PrivateKey),
        extensions: Certificate.Extensions
    ) throws -> String {
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: Date.now - 3600,
            notValidAfter: Date.now + 86_400,
            issuer: issuer.name,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: issuer.key
        )
        return try certificate.serializeAsPEM().pemString
    }
}
