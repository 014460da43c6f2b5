import Foundation
import SwiftASN1
import X509

/// The contents of a certificate that a test authority issues. The default is a valid server certificate.
public struct TestCertificate: Sendable {
    /// The common name; empty for a subject without attributes.
    public var name = "Sallyport test server"
    /// The DNS names among the subject alternative names.
    public var hosts = ["localhost"]
    /// The IPv4 addresses among the subject alternative names, each of four bytes.
    public var addresses: [[UInt8]] = [[127, 0, 0, 1]]
    /// The start of the validity period.
    public var notBefore = Date.now - 3600
    /// The end of the validity period.
    public var notAfter = Date.now + 86_400
    /// The extended key usages. If there are none, the extension is omitted.
    public var usages: [ExtendedKeyUsage.Usage] = [.serverAuth]
    /// A Boolean value that indicates whether the certificate is that of an authority.
    public var isAuthority = false
    /// The path length constraint.
    public var pathLength: Int?
    /// The permitted DNS names of the name constraints. An extension without names and ranges is omitted.
    public var permittedHosts: [String] = []
    /// The excluded DNS names of the name constraints.
    public var excludedHosts: [String] = []
    /// The permitted IPv4 ranges of the name constraints, each as address and mask of four bytes.
    public var permittedRanges: [[UInt8]] = []
    /// An unknown extension.
    public var strangeExtension: Certificate.Extension?
    /// An RSA key in PEM, used instead of a new P-256 key.
    public var rsaKeyPEM: String?

    /// Creates the contents of a valid server certificate.
    public init() {}

    var subject: DistinguishedName {
        get throws { name.isEmpty ? DistinguishedName() : try DistinguishedName { CommonName(name) } }
    }

    var extensions: Certificate.Extensions {
        get throws {
            let names =
                hosts.map { GeneralName.dnsName($0) }
                + addresses.map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...])) }
            var extensions = try Certificate.Extensions {
                Critical(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: pathLength)
                        : BasicConstraints.notCertificateAuthority
                )
                Critical(KeyUsage(digitalSignature: true, keyCertSign: isAuthority))
            }
            if !usages.isEmpty { try extensions.append(ExtendedKeyUsage(usages).makeCertificateExtension()) }
            if !names.isEmpty { try extensions.append(SubjectAlternativeNames(names).makeCertificateExtension()) }
            if !permittedHosts.isEmpty || !excludedHosts.isEmpty || !permittedRanges.isEmpty {
                let constraints = NameConstraints(
                    permittedDNSDomains: permittedHosts,
                    excludedDNSDomains: excludedHosts,
                    permittedIPRanges: permittedRanges.map { ASN1OctetString(contentBytes: $0[...]) }
                )
                try extensions.append(Critical(constraints).makeCertificateExtension())
            }
            if let strangeExtension { try extensions.append(strangeExtension) }
            return extensions
        }
    }
}
