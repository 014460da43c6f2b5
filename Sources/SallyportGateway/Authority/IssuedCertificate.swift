/// A certificate with its private key, as PEM text.
public struct IssuedCertificate: Sendable {
    /// The certificate, then the certificate of its authority.
    public let chainPEM: String
    /// The private key of the certificate, as PKCS #8.
    public let privateKeyPEM: String

    /// Creates a certificate from PEM text, for one that was made elsewhere.
    public init(chainPEM: String, privateKeyPEM: String) {
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}

/// When an issued certificate is valid.
public enum CertificateValidity: Sendable {
    /// From an hour ago for seven days, or until the authority itself expires.
    case current
    /// Until a minute ago: for testing that a client refuses it.
    case expired
    /// From tomorrow: for testing that a client refuses it.
    case future
}
