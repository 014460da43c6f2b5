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

    /// The certificate shown to servers that ask for one.
    public var clientIdentity: ClientIdentity?

    /// The lowest version of TLS to accept.
    public var minimumVersion: Version

    /// Makes a configuration: the system's authorities, no client certificate and TLS 1.2 or later, unless given.
    public init(
        trustRoots: TrustRoots = .system,
        clientIdentity: ClientIdentity? = nil,
        minimumVersion: Version = .tls12
    ) {
        self.trustRoots = trustRoots
        self.clientIdentity = clientIdentity
        self.minimumVersion = minimumVersion
    }
}
