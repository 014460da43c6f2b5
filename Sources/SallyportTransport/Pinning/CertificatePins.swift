import Foundation

/// Certificate pins by host. The certificate chain of a server must match at least one of the pins for its host.
///
/// Pins are compared with the validated chain in the TLS handshake: the server's certificate, an intermediate or the root must match. On a
/// mismatch nothing is sent. A chain that is not trusted is refused regardless of pins, and so are calls to `http` URLs of hosts with
/// enforced pins.
///
/// ```swift
/// let client = try HttpClient.createClient { config in
///     try config.transportConfiguration.security.pins.pin(
///         "api.example.com",
///         to: ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="],
///         until: Date(timeIntervalSince1970: 1_830_000_000)
///     )
/// }
/// ```
///
/// Add a backup pin of a key that the server does not use yet. Your app then continues to work when the key must be replaced.
public struct CertificatePins: Sendable {
    /// The consequence of a mismatch.
    public enum Enforcement: Sendable, Hashable {
        /// The connection is refused with ``NetworkError/pinMismatch(_:)``.
        case enforced
        /// The handler is called, and the connection is used.
        case reportOnly
    }

    /// The pins of the hosts of one pattern.
    public struct Entry: Sendable, Hashable {
        /// The hosts to which the pins apply.
        public let hosts: HostPattern
        /// The pins. The chain must match at least one of them.
        public let pins: [CertificatePin]
        /// The time at which the pins expire; `nil` for never.
        public let expiry: Date?
        /// The consequence of a mismatch.
        public let enforcement: Enforcement

        func applies(to host: String, at time: Date) -> Bool { hosts.matches(host) && !isExpired(at: time) }

        func isExpired(at time: Date) -> Bool { expiry.map { $0 <= time } ?? false }
    }

    /// The entries, in the order they were added.
    ///
    /// If several entries with the same enforcement apply to a host, its chain must match at least one of all their pins.
    public private(set) var entries: [Entry] = []

    /// A closure that is called for every mismatch, even if the pins are not enforced. The handshake waits for it.
    public var onMismatch: (@Sendable (PinMismatch) -> Void)?

    /// Creates an empty set.
    public init() {}

    /// Returns a Boolean value that indicates whether calls to a host are refused unless its certificates match pins.
    ///
    /// ```swift
    /// guard config.pins.areEnforced(for: "api.example.com") else { throw SetupError.pinsMissing }
    /// ```
    ///
    /// Expired pins are included, because calls to their hosts are refused. Pins with ``Enforcement/reportOnly`` are not.
    ///
    /// - Parameter host: The host as in URLs. It is not case-sensitive.
    public func areEnforced(for host: String) -> Bool {
        requiresMatch(of: HostAndPort(host[...])?.host ?? host.lowercased())
    }

    /// Returns a copy with the entries of another value appended. The other's handler for mismatches, if it has one, replaces
    /// this one's.
    package func adding(_ other: CertificatePins) -> CertificatePins {
        var all = self
        all.entries += other.entries
        all.onMismatch = other.onMismatch ?? onMismatch
        return all
    }

    /// Returns the pins that this value adds to a base; `nil` if pins of the base are missing.
    package func added(to base: CertificatePins) -> CertificatePins? {
        guard entries.starts(with: base.entries) else { return nil }
        var added = self
        added.entries.removeFirst(base.entries.count)
        return added
    }

    /// Adds the pins of a host, or of all hosts of a pattern.
    ///
    /// - Parameters:
    ///   - host: See ``HostPattern``.
    ///   - pins: See ``CertificatePin/init(_:)``; at least one.
    ///   - expiry: The time at which the pins expire. When all enforced pins of a host have expired, calls to it are refused, so that
    ///     an app that is not updated does not continue without pins.
    ///   - enforcement: The consequence of a mismatch.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` which quotes the invalid host or pin. Nothing is added in this case.
    public mutating func pin(
        _ host: String,
        to pins: [String],
        until expiry: Date? = nil,
        _ enforcement: Enforcement = .enforced
    ) throws(NetworkError) {
        var parsed: [CertificatePin] = []
        for pin in pins { parsed.append(try CertificatePin(pin)) }
        try self.pin(try HostPattern(host), to: parsed, until: expiry, enforcement)
    }

    /// Adds pins, such as those created from certificates, for the hosts of a pattern.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if there are no pins.
    public mutating func pin(
        _ hosts: HostPattern,
        to pins: [CertificatePin],
        until expiry: Date? = nil,
        _ enforcement: Enforcement = .enforced
    ) throws(NetworkError) {
        guard !pins.isEmpty else { throw .invalidRequest("there are no pins for \(hosts)") }
        entries.append(Entry(hosts: hosts, pins: pins, expiry: expiry, enforcement: enforcement))
    }
}
