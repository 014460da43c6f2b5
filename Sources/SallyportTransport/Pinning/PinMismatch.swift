/// A chain of certificates that is trusted, but matches none of the pins of its host.
public struct PinMismatch: Sendable, Hashable {
    /// One certificate of the chain.
    public struct Certificate: Sendable, Hashable {
        /// Whom it was issued to.
        public let subject: String
        /// The pin of its public key.
        public let pin: CertificatePin

        /// Puts the two together.
        public init(subject: String, pin: CertificatePin) {
            self.subject = subject
            self.pin = pin
        }
    }

    /// The host that was called.
    public let host: String

    /// The pins of which one had to match.
    public let expected: [CertificatePin]

    /// The chain that was validated: the server's certificate first, the root last.
    public let chain: [Certificate]

    /// Whether the connection was refused.
    public let isEnforced: Bool

    /// Makes a mismatch, for the tests of a handler.
    public init(host: String, expected: [CertificatePin], chain: [Certificate], isEnforced: Bool) {
        self.host = host
        self.expected = expected
        self.chain = chain
        self.isEnforced = isEnforced
    }
}

extension PinMismatch: CustomStringConvertible {
    /// What was expected and what came.
    public var description: String {
        let came = chain.map { "\($0.pin) (\($0.subject.prefix(200)))" }.listed
        return
            "the certificates of \(host) match none of its pins: expected \(expected.map(\.description).listed); received \(came)"
    }
}

extension [String] {
    /// All of a short list, the beginning of a long one.
    fileprivate var listed: String {
        let most = 8
        let rest = count > most ? " and \(count - most) more" : ""
        return prefix(most).joined(separator: ", ") + rest
    }
}
