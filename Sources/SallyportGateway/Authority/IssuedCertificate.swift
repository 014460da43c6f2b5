import Foundation

/// A certificate with its private key, in PEM format.
public struct IssuedCertificate: Sendable {
    /// The certificate, followed by the certificate of its authority.
    public let chainPEM: String
    /// The private key of the certificate, in PKCS #8 format.
    public let privateKeyPEM: String

    /// Creates a value from a certificate and a key that were generated elsewhere.
    public init(chainPEM: String, privateKeyPEM: String) {
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}

/// The validity period of an issued certificate.
public enum CertificateValidity: Sendable {
    /// From an hour ago for seven days, or until the authority itself expires.
    case current
    /// Until a minute ago, to test that a client refuses the certificate.
    case expired
    /// From tomorrow, to test that a client refuses the certificate.
    case future
}

extension CertificateValidity {
    /// Returns the start and the end of the period. It does not end after the authority's certificate.
    func interval(from now: Date = Date(), until limit: Date) -> (start: Date, end: Date) {
        switch self {
        case .current: (now - .hour, min(now + 7 * .day, limit))
        case .expired: (now - .hour, now - .minute)
        case .future: (now + .day, min(now + 7 * .day, limit))
        }
    }
}

extension TimeInterval {
    static let minute: TimeInterval = 60
    static let hour: TimeInterval = 60 * minute
    static let day: TimeInterval = 24 * hour
}
