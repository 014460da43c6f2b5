import Foundation
import NIOSSL
import SallyportTransport

/// The TLS side of a configuration, read from its files once, at the first connection that needs them.
///
/// NIOSSL lets clients resume no sessions, so every connection has a whole handshake.
final class TLSContext: Sendable {
    private struct Loaded {
        var roots: TrustRoots?
        var keyLog: KeyLog?
        var contexts: [TransportSecurity.ClientIdentity?: NIOSSLContext] = [:]
    }

    private let security: TransportSecurity
    private let protocols: [WireProtocol]
    private let loaded = Locked(Loaded())
    private let known = ValidatedChains()

    init(_ security: TransportSecurity, offering protocols: [WireProtocol]) {
        self.security = security
        self.protocols = protocols
    }

    /// What is needed for a handshake with a host, if it has been read before.
    func loaded(for host: String) -> ClientTLS? {
        let identity = security.clientIdentity(for: host)
        return loaded.withLock { loaded in
            guard let roots = loaded.roots, let context = loaded.contexts[identity] else { return nil }
            return ClientTLS(context: context, check: CertificateCheck(roots: roots, pins: security.pins, known: known))
        }
    }

    /// What is needed for a handshake with a host. It may take a while, as files may be read.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming the file that cannot be used.
    func get(for host: String) throws(NetworkError) -> ClientTLS {
        let identity = security.clientIdentity(for: host)
        return try loaded.withLock { loaded throws(NetworkError) in
            let roots: TrustRoots
            if let known = loaded.roots { roots = known } else { roots = try TrustRoots(security.trustRoots) }
            loaded.roots = roots
            if let file = security.keyLogFile, loaded.keyLog == nil { loaded.keyLog = try KeyLog(file) }
            let context: NIOSSLContext
            if let known = loaded.contexts[identity] {
                context = known
            } else {
                context = try make(showing: identity, loaded.keyLog)
                loaded.contexts[identity] = context
            }
            return ClientTLS(context: context, check: CertificateCheck(roots: roots, pins: security.pins, known: known))
        }
    }

    private func make(
        showing identity: TransportSecurity.ClientIdentity?,
        _ keyLog: KeyLog?
    ) throws(NetworkError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The server's certificates are checked by CertificateCheck, which is asked unless this is `.none`.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.minimumTLSVersion = security.minimumVersion == .tls13 ? .tlsv13 : .tlsv12
        configuration.applicationProtocols = protocols.map(\.rawValue)
        configuration.shutdownTimeout = .seconds(1)
        if let keyLog { configuration.keyLogCallback = { keyLog.add($0) } }
        if let identity {
            let path = identity.certificateFile.path
            configuration.certificateChain = try Self.certificates(in: path).map { .certificate($0) }
            configuration.privateKey = .privateKey(try Self.privateKey(in: identity.keyFile.path))
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .invalidRequest(NetworkFailure("the TLS configuration cannot be used: \(error)", underlying: error))
        }
    }

    private static func certificates(in path: String) throws(NetworkError) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw .unusableCertificateFile(path, "has no PEM certificate that can be read")
        }
        return certificates
    }

    private static func privateKey(in path: String) throws(NetworkError) -> NIOSSLPrivateKey {
        guard let key = try? NIOSSLPrivateKey(file: path, format: .pem) else {
            throw .unusableCertificateFile(path, "has no unencrypted PEM private key that can be read")
        }
        return key
    }
}

/// What a handshake is made with: whom to be, and how to check the server.
struct ClientTLS: Sendable {
    let context: NIOSSLContext
    let check: CertificateCheck
}
