import Foundation
import NIOSSL
import SallyportTransport

/// The TLS side of a configuration, read from its files once, at the first connection that needs it.
final class TLSContext: Sendable {
    private let security: TransportSecurity
    private let protocols: [WireProtocol]
    private let context = Locked<NIOSSLContext?>(nil)

    init(_ security: TransportSecurity, offering protocols: [WireProtocol]) {
        self.security = security
        self.protocols = protocols
    }

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming the file that cannot be used.
    func get() throws(NetworkError) -> NIOSSLContext {
        try context.withLock { context throws(NetworkError) in
            if let context { return context }
            let made = try make()
            context = made
            return made
        }
    }

    private func make() throws(NetworkError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The name in the certificate is checked by ServerName: NIO would take the address of any host for its name.
        configuration.certificateVerification = .noHostnameVerification
        configuration.minimumTLSVersion = security.minimumVersion == .tls13 ? .tlsv13 : .tlsv12
        configuration.applicationProtocols = protocols.map(\.rawValue)
        configuration.shutdownTimeout = .seconds(1)
        switch security.trustRoots {
        case .system: break
        case .file(let url):
            configuration.trustRoots = .certificates(
                try Self.certificates(in: url.path) { try NIOSSLCertificate.fromPEMFile(url.path) }
            )
        case .pem(let text):
            configuration.trustRoots = .certificates(
                try Self.certificates(in: "given as text") { try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)) }
            )
        }
        if let identity = security.clientIdentity {
            let path = identity.certificateFile.path
            configuration.certificateChain = try Self.certificates(in: path) { try NIOSSLCertificate.fromPEMFile(path) }
                .map { .certificate($0) }
            configuration.privateKey = .privateKey(try Self.privateKey(in: identity.keyFile.path))
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .invalidRequest(NetworkFailure("the TLS configuration cannot be used: \(error)", underlying: error))
        }
    }

    private static func certificates(
        in name: String,
        read: () throws -> [NIOSSLCertificate]
    ) throws(NetworkError) -> [NIOSSLCertificate] {
        guard let certificates = try? read(), !certificates.isEmpty else {
            throw unusable(name, "has no PEM certificate that can be read")
        }
        return certificates
    }

    private static func privateKey(in path: String) throws(NetworkError) -> NIOSSLPrivateKey {
        guard let key = try? NIOSSLPrivateKey(file: path, format: .pem) else {
            throw unusable(path, "has no unencrypted PEM private key that can be read")
        }
        return key
    }

    private static func unusable(_ name: String, _ reason: String) -> NetworkError {
        .invalidRequest(NetworkFailure("the certificate file \(name) \(reason)", advice: "give a file in PEM format"))
    }
}
