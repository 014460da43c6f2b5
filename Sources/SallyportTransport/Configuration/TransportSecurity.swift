import Foundation

/// TLS settings of a transport: trust roots, client certificates and pins.
public struct TransportSecurity: Sendable {
    /// The certificate authorities that are trusted.
    public enum TrustRoots: Sendable, Hashable {
        /// The authorities of the system.
        case system
        /// Only the authorities in a PEM file.
        case file(URL)
        /// Only the authorities in a PEM text.
        case pem(String)
    }

    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// A client certificate with its private key, in PEM files or a PKCS #12 file.
    ///
    /// ```swift
    /// security.clientIdentity = .init(pkcs12File: URL(fileURLWithPath: "client.p12"), password: password)
    /// ```
    public struct ClientIdentity: Sendable, Hashable {
        /// A format of files with a certificate and its private key.
        public enum Format: Sendable, Hashable {
            /// PEM (RFC 7468), with the certificate and the key in two files or one.
            case pem
            /// PKCS #12 (RFC 7292), with the certificate and the key in one file.
            case pkcs12
        }

        /// The certificate, followed by any intermediate certificates.
        public var certificateFile: URL
        /// The private key.
        public var keyFile: URL
        /// The format of the files.
        public var format: Format
        /// The password that decrypts the private key or the PKCS #12 file; `nil` if they are not encrypted. Descriptions do not
        /// include it.
        public var password: String?

        /// Creates an identity from files in PEM.
        ///
        /// - Parameters:
        ///   - certificateFile: The certificate, followed by any intermediate certificates.
        ///   - keyFile: The private key, which may be in the same file.
        ///   - password: The password of the private key, in ASCII; `nil` if it is not encrypted.
        public init(certificateFile: URL, keyFile: URL, password: String? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.password = password
            format = .pem
        }

        /// Creates an identity from a file in the format PKCS #12, which often has the extension `p12` or `pfx`.
        ///
        /// Do not use files from others: on Linux, the process ends if the key in a file belongs to none of its certificates.
        ///
        /// - Parameters:
        ///   - pkcs12File: The file with the certificate, its private key and any intermediate certificates.
        ///   - password: The password of the file; `nil` if it has none.
        public init(pkcs12File: URL, password: String? = nil) {
            certificateFile = pkcs12File
            keyFile = pkcs12File
            self.password = password
            format = .pkcs12
        }
    }

    /// The certificate authorities that are trusted.
    public var trustRoots: TrustRoots

    /// The certificate for servers that request one and have none in ``clientIdentities``.
    ///
    /// It is not presented to another origin after a redirect. A certificate for several servers needs their patterns in
    /// ``clientIdentities``.
    public var clientIdentity: ClientIdentity?

    /// The certificates for hosts that match a pattern. The most specific pattern applies.
    ///
    /// ```swift
    /// security.clientIdentities[try HostPattern("*.partners.example.com")] = identity
    /// ```
    public var clientIdentities: [HostPattern: ClientIdentity] = [:]

    /// The pins that servers' certificates must match.
    public var pins: CertificatePins

    /// The minimum version of TLS.
    public var minimumVersion: Version

    /// A file to which the secrets of all connections are appended, for analysis with Wireshark; `nil` for none.
    ///
    /// It has the format of `SSLKEYLOGFILE`, and only its owner can read it. Anyone who has the file can decrypt the traffic, so it is for
    /// debugging only. Only this property enables it.
    public var keyLogFile: URL?

    /// A Boolean value that indicates whether the certificates of servers are not verified, so that anyone on the network can read and
    /// change the traffic. The engine then refuses ``pins``.
    ///
    /// Only the command can set it, for its option `--insecure`. Apps trust a server of their own with ``TrustRoots/file(_:)``.
    package var acceptsUnverifiedServers = false

    /// Creates settings. The defaults are the system's authorities, no client certificate, TLS 1.2 or later, and no pins.
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

    /// Returns the client certificate for a host.
    package func clientIdentity(for host: String) -> ClientIdentity? {
        let own = clientIdentities.filter { $0.key.matches(host) }.max { $1.key.isMoreSpecific(than: $0.key) }
        return own?.value ?? clientIdentity
    }
}

extension TransportSecurity.ClientIdentity: CustomStringConvertible, CustomReflectable {
    /// The paths of the files, without the password.
    public var description: String {
        certificateFile == keyFile ? certificateFile.path : "\(certificateFile.path), \(keyFile.path)"
    }

    /// A mirror of the files and their format, without the password.
    public var customMirror: Mirror {
        Mirror(self, children: ["certificateFile": certificateFile, "keyFile": keyFile, "format": format])
    }
}
