import Foundation

/// Whom a transport trusts over TLS, and as whom it presents itself.
public struct TransportSecurity: Sendable {
    /// The certificate authorities that a server's chain may end in.
    public enum TrustRoots: Sendable, Hashable {
        /// Those of the system.
        case system
        /// Those in a file of PEM certificates, and no others.
        case file(URL)
        /// Those in a text of PEM certificates, and no others.
        case pem(String)
    }

    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// A client certificate with its private key, in PEM files.
    public struct ClientIdentity: Sendable, Hashable {
        /// The certificate, followed by intermediates if there are any.
        public var certificateFile: URL
        /// Its private key, unencrypted.
        public var keyFile: URL

        /// Names the two files.
        public init(certificateFile: URL, keyFile: URL) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The certificate authorities that are trusted.
    public var trustRoots: TrustRoots

    /// The certificate shown to servers that ask for one, and have none of their own in ``clientIdentities``.
    public var clientIdentity: ClientIdentity?

    /// The certificates shown to the hosts of some patterns. Of several for a host the most specific is taken.
    ///
    /// ```swift
    /// security.clientIdentities[try HostPattern("*.partners.example.com")] = identity
    /// ```
    public var clientIdentities: [HostPattern: ClientIdentity] = [:]

    /// The public keys that servers' certificates have to match.
    public var pins: CertificatePins

    /// The lowest version of TLS to accept.
    public var minimumVersion: Version

    /// A file to which the secrets of all connections are added, for looking at them with Wireshark; `nil` for none.
    ///
    /// It is in the format of `SSLKEYLOGFILE`, and only its owner may read it. Whoever has it can read the traffic:
    /// it is for debugging, and nothing but this property turns it on.
    public var keyLogFile: URL?

    /// Makes a configuration: the system's authorities, no client certificate, TLS 1.2 or later and no pins, unless given.
    public init(
        trustRoots: TrustRoots = .system,
        clientIdentity: ClientIdentity? = nil,
        minimumVersion: Version = .tls12,
        pins: CertificatePins = CertificatePins()
    ) {
        self.trustRoots = trustRoots
        self.clientIdentity = clientIdentity
        self.minimumVersion = minimumVersion
        self.pins = pins
    }

    /// The certificate for one host.
    package func clientIdentity(for host: String) -> ClientIdentity? {
        let own = clientIdentities.filter { $0.key.matches(host) }.max { $1.key.isMoreSpecific(than: $0.key) }
        return own?.value ?? clientIdentity
    }
}
