import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import NIOSSL

@available(macOS 14, iOS 17, tvOS 17, *)
extension HTTPServerBuilder {
    /// HTTP/1.1 with keep-alive, with or without TLS.
    static func gateway(_ configuration: GatewayConfiguration) throws -> HTTPServerBuilder {
        switch configuration.tls {
        case .none:
            return http1WithContinue
        case .developmentAuthority(let authority):
            let hosts = DevelopmentAuthority.loopbackHosts + [configuration.host]
            let certificate = try authority.issue(hosts: hosts)
            return try .tls(http1WithContinue, tlsConfiguration: .gateway(certificate, clientAuthority: nil))
        case .certificate(let certificate, let clientAuthority):
            return try .tls(
                http1WithContinue,
                tlsConfiguration: .gateway(certificate, clientAuthority: clientAuthority)
            )
        }
    }

    /// Hummingbird leaves `Expect: 100-continue` unanswered, which makes clients wait before they send a body.
    private static var http1WithContinue: HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HTTP1Channel(
                responder: { request, writer, channel in
                    if request.headers[.expect]?.lowercased() == "100-continue" {
                        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                    }
                    try await responder(request, writer, channel)
                },
                configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(60))
            )
        }
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
        configuration.applicationProtocols = ["http/1.1"]
        if let clientAuthority {
            let roots = try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.certificatePEM.utf8))
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }
}
