import Foundation

/// The public keys of which a server's chain of certificates has to hold at least one, by host.
///
/// They are compared in the TLS handshake with the chain that was validated: the server's own certificate, an
/// intermediate, or the root may match. On a mismatch nothing of a request is sent. A chain that is not trusted is
/// refused whatever the pins. Calls to `http` URLs have no certificates, and no pins.
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
/// Give a backup: the pin of a key that the server does not use yet, so that the app goes on working when it has to.
public struct CertificatePins: Sendable {
    /// What a mismatch leads to.
    public enum Enforcement: Sendable, Hashable {
        /// The connection is refused with ``NetworkError/pinMismatch(_:)``.
        case enforced
        /// The handler is told, and the connection used.
        case reportOnly
    }

    /// The pins of the hosts of one pattern.
    public struct Entry: Sendable, Hashable {
        /// The hosts that it is for.
        public let hosts: HostPattern
        /// The public keys, one of which is enough.
        public let pins: [CertificatePin]
        /// From when it no longer counts; `nil` for never.
        public let expiry: Date?
        /// What a mismatch leads to.
        public let enforcement: Enforcement

        func counts(for host: String, at time: Date) -> Bool { hosts.matches(host) && !isOver(at: time) }

        func isOver(at time: Date) -> Bool { expiry.map { $0 <= time } ?? false }
    }

    /// The entries, in the order in which they were made.
    ///
    /// Those with the same enforcement that are for a host count together: it has to match one pin of them all.
    public private(set) var entries: [Entry] = []

    /// Told of every mismatch, enforced or not. It is called in the handshake, which waits for it.
    public var onMismatch: (@Sendable (PinMismatch) -> Void)?

    /// Makes a set without pins.
    public init() {}

    /// Adds the pins of a host, or of all hosts of a pattern.
    ///
    /// - Parameters:
    ///   - host: See ``HostPattern``.
    ///   - pins: See ``CertificatePin/init(_:)``; at least one.
    ///   - expiry: From when they no longer count. Once all that are enforced for a host are over, calls to it are
    ///     refused: an app that is not updated any more does not go on without its pins.
    ///   - enforcement: What a mismatch leads to.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` quoting what is no host or no pin; nothing is added then.
    public mutating func pin(
        _ host: String,
        to pins: [String],
        until expiry: Date? = nil,
        _ enforcement: Enforcement = .enforced
    ) throws(NetworkError) {
        var made: [CertificatePin] = []
        for pin in pins { made.append(try CertificatePin(pin)) }
        try self.pin(try HostPattern(host), to: made, until: expiry, enforcement)
    }

    /// Adds the pins of the hosts of a pattern, such as those made of certificates.
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
