import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A certificate authority that is created for a test, and trusted only by it.
public struct TestAuthority: Sendable {
    /// A certificate with its private key, both in PEM.
    public struct Identity: Sendable {
        /// The certificate.
        public let certificatePEM: String
        /// Its private key.
        public let keyPEM: String
        /// The further certificates that a server sends, in order. The default is the intermediates.
        public var othersPEM: [String] = []
    }

    /// The authority's own certificate, in PEM.
    public let certificatePEM: String

    private let text: String
    private let name: DistinguishedName
    private let key: Certificate.PrivateKey
    /// The certificates of this authority and those above it except the root, which a server has to send.
    private let pathPEM: [String]

    /// Creates a root with a new key.
    public init(name: String = "Sallyport test authority", _ change: (inout TestCertificate) -> Void = { _ in }) throws
    {
        let request = Self.request(name, change)
        text = name
        self.name = try request.subject
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        certificatePEM = try Self.certificate(request, for: key.publicKey, by: (self.name, key))
        pathPEM = []
    }

    private init(
        _ text: String,
        named name: DistinguishedName,
        key: Certificate.PrivateKey,
        certificatePEM: String,
        pathPEM: [String]
    ) {
        self.text = text
        self.name = name
        self.key = key
        self.certificatePEM = certificatePEM
        self.pathPEM = pathPEM
    }

    /// Creates an authority that this one certifies.
    public func intermediate(
        name: String = "Sallyport test intermediate",
        _ change: (inout TestCertificate) -> Void = { _ in }
    ) throws -> TestAuthority {
        let request = Self.request(name, change)
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let certificate = try Self.certificate(request, for: key.publicKey, by: (self.name, self.key))
        return TestAuthority(
            request.name,
            named: try request.subject,
            key: key,
            certificatePEM: certificate,
            pathPEM: [certificate] + pathPEM
        )
    }

    /// Issues a certificate for the key of this authority by another authority.
    ///
    /// - Returns: The certificate, in PEM.
    public func crossSigned(by other: TestAuthority) throws -> String {
        try Self.certificate(Self.request(text, { _ in }), for: key.publicKey, by: (other.name, other.key))
    }

    /// Creates another self-signed certificate with the name and key of this authority.
    ///
    /// - Returns: The certificate, in PEM.
    public func again(_ change: (inout TestCertificate) -> Void) throws -> String {
        try Self.certificate(Self.request(text, change), for: key.publicKey, by: (name, key))
    }

    /// Creates an identity for a server.
    ///
    /// - Parameters:
    ///   - hosts: The DNS names in the certificate.
    ///   - addresses: The IPv4 addresses in the certificate, each of four bytes.
    ///   - change: Modifies the contents of the certificate.
    public func serverIdentity(
        hosts: [String] = ["localhost"],
        addresses: [[UInt8]] = [[127, 0, 0, 1]],
        _ change: (inout TestCertificate) -> Void = { _ in }
    ) throws -> Identity {
        var request = TestCertificate()
        request.hosts = hosts
        request.addresses = addresses
        change(&request)
        return try Self.identity(request, by: self)
    }

    /// Creates an identity for a client.
    public func clientIdentity(name: String = "Sallyport test client") throws -> Identity {
        var request = TestCertificate()
        request.name = name
        request.hosts = []
        request.addresses = []
        request.usages = [.clientAuth]
        return try Self.identity(request, by: self)
    }

    /// Creates a self-signed identity for a server.
    public static func selfSignedIdentity(_ change: (inout TestCertificate) -> Void = { _ in }) throws -> Identity {
        var request = TestCertificate()
        change(&request)
        return try identity(request, by: nil)
    }

    private static func request(_ name: String, _ change: (inout TestCertificate) -> Void) -> TestCertificate {
        var request = TestCertificate()
        request.name = name
        request.hosts = []
        request.addresses = []
        request.usages = []
        request.isAuthority = true
        change(&request)
        return request
    }

    private static func identity(_ request: TestCertificate, by issuer: TestAuthority?) throws -> Identity {
        let p256 = P256.Signing.PrivateKey()
        let rsa = try request.rsaKeyPEM.map { try _RSA.Signing.PrivateKey(unsafePEMRepresentation: $0) }
        let key = rsa.map { Certificate.PrivateKey($0) } ?? Certificate.PrivateKey(p256)
        let subject = try request.subject
        return Identity(
            certificatePEM: try certificate(
                request,
                for: key.publicKey,
                by: issuer.map { ($0.name, $0.key) } ?? (subject, key)
            ),
            keyPEM: request.rsaKeyPEM ?? p256.pemRepresentation,
            othersPEM: issuer?.pathPEM ?? []
        )
    }

    private static func certificate(
        _ request: TestCertificate,
        for key: Certificate.PublicKey,
        by issuer: (name: DistinguishedName, key: Certificate.PrivateKey)
    ) throws -> String {
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: request.notBefore,
            notValidAfter: request.notAfter,
            issuer: issuer.name,
            subject: try request.subject,
            extensions: try request.extensions,
            issuerPrivateKey: issuer.key
        )
        return try certificate.serializeAsPEM().pemString
    }
}
