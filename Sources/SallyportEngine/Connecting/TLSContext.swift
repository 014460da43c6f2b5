import Foundation
import NIOSSL
import SallyportStorage
import SallyportTransport

/// The TLS settings of a configuration. The files are read once, for the first connection that needs them.
///
/// NIOSSL does not let clients resume sessions, so every connection performs a full handshake.
final class TLSContext: Sendable {
    private struct Loaded {
        var roots: TrustRoots?
        var keyLog: KeyLog?
        var contexts: [TransportSecurity.ClientIdentity?: NIOSSLContext] = [:]
    }

    private let security: TransportSecurity
    private let protocols: [WireProtocol]
    private let loaded = Locked(Loaded())
    private let validated = ValidatedChains()

    init(_ security: TransportSecurity, offering protocols: [WireProtocol]) {
        self.security = security
        self.protocols = protocols
    }

    /// Returns the parameters of a handshake with a host, if the files have been read.
    func loaded(for host: String) -> ClientTLS? {
        let identity = security.clientIdentity(for: host)
        return loaded.withLock { loaded in
            guard let roots = loaded.roots, let context = loaded.contexts[identity] else { return nil }
            return ClientTLS(context: context, check: check(with: roots))
        }
    }

    /// Returns the parameters of a handshake with a host. Blocks while files are read.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a file that cannot be used.
    func load(for host: String) throws(NetworkError) -> ClientTLS {
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
                context = try make(identity, loaded.keyLog)
                loaded.contexts[identity] = context
            }
            return ClientTLS(context: context, check: check(with: roots))
        }
    }

    private func check(with roots: TrustRoots) -> CertificateCheck {
        CertificateCheck(
            roots: roots,
            pins: security.pins,
            validated: validated,
            acceptsAll: security.acceptsUnverifiedServers
        )
    }

    private func make(
        _ identity: TransportSecurity.ClientIdentity?,
        _ keyLog: KeyLog?
    ) throws(NetworkError) -> NIOSSLContext {
        if security.acceptsUnverifiedServers, !security.pins.entries.isEmpty {
            throw .invalidRequest("pins cannot be checked for servers whose certificates are not verified")
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        // `CertificateCheck` verifies the server's certificates. It is called unless this is `.none`.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.minimumTLSVersion = security.minimumVersion == .tls13 ? .tlsv13 : .tlsv12
        configuration.applicationProtocols = protocols.map(\.rawValue)
        configuration.shutdownTimeout = .seconds(1)
        if let keyLog { configuration.keyLogCallback = { keyLog.add($0) } }
        if let identity {
            do throws(ClientCertificate.Problem) {
                let certificate = try ClientCertificate(identity)
                configuration.certificateChain = certificate.chain.map { .certificate($0) }
                configuration.privateKey = .privateKey(certificate.key)
            } catch {
                throw .unusableClientCertificate(error)
            }
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .invalidRequest(NetworkFailure("the TLS configuration cannot be used: \(error)", underlying: error))
        }
    }
}

extension NetworkError {
    fileprivate static func unusableClientCertificate(_ problem: ClientCertificate.Problem) -> NetworkError {
        let advice =
            switch problem.kind {
            case .unreadable, .noKey: "use files in PEM format, or a PKCS #12 file"
            case .passwordMissing: SettingAdvice.setIdentityPassword.rawValue
            case .passwordRefused: SettingAdvice.checkIdentityPassword.rawValue
            }
        return .invalidRequest(NetworkFailure("the certificate file \(problem.file) \(problem.reason)", advice: advice))
    }
}

/// The parameters of a handshake: the NIOSSL context, and the check of the server's certificates.
struct ClientTLS: Sendable {
    let context: NIOSSLContext
    let check: CertificateCheck
}
