import Foundation
import SallyportTransport
import X509

/// The fields of a certificate for display. All texts are safe to show.
package struct CertificateSummary: Sendable, Equatable {
    /// The distinguished name of the subject, such as `CN=example.com`; may be empty.
    package let subject: String

    /// The distinguished name of the issuer.
    package let issuer: String

    /// The DNS names and addresses of the subject alternative names.
    package let names: [String]

    package let notBefore: Date
    package let notAfter: Date

    /// The pin of the public key, as ``CertificatePins`` accepts it.
    package let pin: String

    /// Parses a certificate in DER. Returns `nil` if it cannot be read.
    package init?(der: [UInt8]) {
        guard let fields = CertificateFields(der: der), let certificate = try? Certificate(derEncoded: der) else {
            return nil
        }
        subject = sanitized(certificate.subject.description)
        issuer = sanitized(certificate.issuer.description)
        names = (try? certificate.extensions.subjectAlternativeNames)?.compactMap(\.serverName).map(sanitized) ?? []
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
        pin = "\(CertificatePin(publicKeyInfo: fields.publicKeyInfo))"
    }
}
