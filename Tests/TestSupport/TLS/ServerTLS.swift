import NIOCore
import NIOSSL

/// How a scripted server speaks TLS.
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
    /// The authority that clients' certificates must come from; `nil` asks for none.
    public var clientAuthority: TestAuthority?
    /// The newest version that is offered.
    public var maximumVersion: Version
    /// Told of each certificate that a client shows. It is not checked then.
    public var onClientCertificate: (@Sendable () -> Void)?
    /// The protocols that are offered by ALPN (RFC 7301), the preferred first; with none the server does not negotiate.
    public var applicationProtocols: [String]

    /// Describes a server.
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
        if onClientCertificate != nil { configuration.certificateVerification = .noHostnameVerification }
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
