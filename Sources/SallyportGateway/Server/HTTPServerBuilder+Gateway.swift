import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import NIOSSL

@available(macOS 14, iOS 17, tvOS 17, *)
extension HTTPServerBuilder {
    /// Returns a builder of servers for HTTP/1.1, with or without TLS, and if configured for HTTP/2 with TLS.
    static func gateway(_ configuration: GatewayConfiguration) throws -> HTTPServerBuilder {
        let plain = HTTPServerBuilder { responder in GatewayChannel(responder: responder) }
        switch configuration.tls {
        case .none:
            return plain
        case .developmentAuthority(let authority):
            // A certificate can contain a pattern such as *.example.com, but not **.example.com.
            let allowed = configuration.allowedHosts.map(\.description).filter { !$0.hasPrefix("**.") }
            let hosts = DevelopmentAuthority.loopbackHosts + [configuration.host] + allowed
            let certificate = try authority.issue(hosts: hosts)
            return try secure(configuration, .gateway(certificate, clientAuthority: nil))
        case .certificate(let certificate, let clientAuthority):
            return try secure(configuration, .gateway(certificate, clientAuthority: clientAuthority))
        }
    }

    private static func secure(_ configuration: GatewayConfiguration, _ security: TLSConfiguration) throws -> Self {
        var security = security
        security.applicationProtocols = configuration.allowsHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        return try .tls(
            HTTPServerBuilder { responder in SecureGatewayChannel(responder: responder) },
            tlsConfiguration: security
        )
    }
}

extension TLSConfiguration {
    fileprivate static func gateway(
        _ issued: IssuedCertificate,
        clientAuthority: DevelopmentAuthority?
    ) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(issued.chainPEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        if let clientAuthority {
            let roots = try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.certificatePEM.utf8))
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }
}
