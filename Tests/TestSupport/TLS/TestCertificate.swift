import Foundation
import SwiftASN1
import X509

/// What is to be in a certificate that a test authority issues: that of a good server, unless it is changed.
public struct TestCertificate: Sendable {
    /// The common name.
    public var name = "Sallyport test server"
    /// The DNS names among the subject alternative names.
    public var hosts = ["localhost"]
    /// The IPv4 addresses among them, each of four bytes.
    public var addresses: [[UInt8]] = [[127, 0, 0, 1]]
    /// From when it is valid.
    public var notBefore = Date.now - 3600
    /// Until when it is valid.
    public var notAfter = Date.now + 86_400
    /// The extended key usages; with none the extension is left out.
    public var usages: [ExtendedKeyUsage.Usage] = [.serverAuth]
    /// Whether it may issue certificates.
    public var isAuthority = false
    /// How many authorities there may be below it.
    public var pathLength: Int?
    /// The DNS names under which it may issue; with none the extension is left out.
    public var permittedHosts: [String] = []
    /// An extension that nobody knows.
    public var strangeExtension: Certificate.Extension?
    /// A key of RSA in PEM in place of a new one of P-256.
    public var rsaKeyPEM: String?

    /// Describes a good server's certificate.
    public init() {}

    var subject: DistinguishedName {
        get throws { try DistinguishedName { CommonName(name) } }
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
            if !permittedHosts.isEmpty {
                let constraints = NameConstraints(permittedDNSDomains: permittedHosts)
                try extensions.append(Critical(constraints).makeCertificateExtension())
            }
            if let strangeExtension { try extensions.append(strangeExtension) }
            return extensions
        }
    }
}
