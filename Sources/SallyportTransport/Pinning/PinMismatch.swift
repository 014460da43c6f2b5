/// A certificate chain that is trusted but matches none of the pins of its host.
public struct PinMismatch: Sendable, Hashable {
    /// A certificate of the chain.
    public struct Certificate: Sendable, Hashable {
        /// The subject of the certificate.
        public let subject: String
        /// The pin of its public key.
        public let pin: CertificatePin

        /// Creates a certificate.
        public init(subject: String, pin: CertificatePin) {
            self.subject = subject
            self.pin = pin
        }
    }

    /// The host of the call.
    public let host: String

    /// The pins. The chain had to match at least one of them.
    public let expected: [CertificatePin]

    /// The validated chain from the server's certificate to the root.
    public let chain: [Certificate]

    /// A Boolean value that indicates whether the connection was refused.
    public let isEnforced: Bool

    /// Creates a mismatch, for tests of a handler.
    public init(host: String, expected: [CertificatePin], chain: [Certificate], isEnforced: Bool) {
        self.host = host
        self.expected = expected
        self.chain = chain
        self.isEnforced = isEnforced
    }
}

extension PinMismatch: CustomStringConvertible {
    /// The expected and received pins.
    public var description: String {
        let presented = chain.map { "\($0.pin) (\($0.subject.prefix(200)))" }.listed
        let received = presented.isEmpty ? "none" : presented
        return
            "the certificates of \(host) match none of its pins: expected \(expected.map(\.description).listed); received \(received)"
    }
}

extension [String] {
    /// The elements of the list, separated by commas. A long list is truncated.
    fileprivate var listed: String {
        let maximum = 8
        let rest = count > maximum ? " and \(count - maximum) more" : ""
        return prefix(maximum).joined(separator: ", ") + rest
    }
}
