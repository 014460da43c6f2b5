import NIOCore
import NIOSSL

/// The TLS settings of a scripted server.
public struct ServerTLS: Sendable {
    /// The newest version that a server offers.
    public enum Version: Sendable {
        /// TLS 1.1 (RFC 4346), which clients should refuse.
        case tls11
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// The server's certificate and key.
    public var identity: TestAuthority.Identity
    /// The authority that must have issued clients' certificates, or `nil` to request none.
    public var clientAuthority: TestAuthority?
    /// The newest version that the server offers.
    public var maximumVersion: Version
    /// Called with each certificate that a client presents, which is then not verified.
    public var onClientCertificate: (@Sendable () -> Void)?
    /// `false` if the server also accepts clients without a certificate. It has an effect with ``onClientCertificate``.
    public var requiresClientCertificate = true
    /// The protocols offered by ALPN (RFC 7301), the preferred one first. If there are none, the server does not negotiate.
    public var applicationProtocols: [String]

    /// Creates settings.
    public init(
        identity: TestAuthority.Identity,
        clientAuthority: TestAuthority? = nil,
        maximumVersion: Version = .tls13,
        applicationProtocols: [String] = []
    ) {
        self.identity = identity
        self.clientAuthority = clientAuthority
        self.maximumVersion = maximumVersion
        self.applicationProtocols = applicationProtocols
    }

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try ([identity.certificatePEM] + identity.othersPEM)
                .flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv1
        configuration.applicationProtocols = applicationProtocols
        configuration.maximumTLSVersion =
            switch maximumVersion {
            case .tls11: .tlsv11
            case .tls12: .tlsv12
            case .tls13: .tlsv13
            }
        if onClientCertificate != nil {
            configuration.certificateVerification =
                requiresClientCertificate ? .noHostnameVerification : .optionalVerification
        }
        if let clientAuthority {
            let roots = try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.certificatePEM.utf8))
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification = .noHostnameVerification
        }
        return try NIOSSLContext(configuration: configuration)
    }

    func handler(_ context: NIOSSLContext) -> NIOSSLServerHandler {
        guard let onClientCertificate else { return NIOSSLServerHandler(context: context) }
        return NIOSSLServerHandler(context: context) { _, verified in
            onClientCertificate()
            verified.succeed(.certificateVerified)
        }
    }
}
