import Foundation
import SallyportTransport

#if !canImport(Security)
/// The checks in addition to the system's: none on platforms where `URLSession` does not support them.
struct SessionSecurity: Sendable {
    let pins: CertificatePins

    /// Checks the trust roots.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for trust roots other than the system's, which `URLSession` supports here only through
    ///   an environment variable of the process.
    init(_ security: TransportSecurity) throws(NetworkError) {
        switch security.trustRoots {
        case .system: break
        case .file(let url): throw .notOnThisPlatform("the certificate authorities in \(url.path)")
        case .pem: throw .notOnThisPlatform("certificate authorities other than the system's")
        }
        try security.checkForSession()
        pins = security.pins
        if security.minimumVersion != .tls12 { throw .notOnThisPlatform("a minimum version of TLS") }
    }
}

extension NetworkError {
    fileprivate static func notOnThisPlatform(_ setting: String) -> NetworkError {
        .unsupported("URLSession cannot use \(setting) on this platform", instead: "use the engine")
    }
}
#endif

extension TransportSecurity {
    /// Refuses settings that `URLSession` does not support on any platform.
    func checkForSession() throws(NetworkError) {
        if let identity = clientIdentity { throw .clientCertificateInFile(identity) }
        if let file = keyLogFile {
            throw .unsupported("URLSession cannot write a key log to \(file.path)", instead: "use the engine")
        }
    }

    /// Refuses a call if `URLSession` does not support the settings for its host.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``. This includes a server whose certificates cannot be compared with enforced pins.
    func checkForSession(calling origin: Origin) throws(NetworkError) {
        try pins.checkCall(to: origin)
        if origin.scheme == .http { return }
        let host = origin.host
        if let identity = clientIdentity(for: host) { throw .clientCertificateInFile(identity) }
        #if !canImport(Security)
        if pins.hasPins(for: host) {
            throw .unsupported(
                "URLSession cannot check the pins of \(host) on this platform",
                instead: "use the engine"
            )
        }
        #endif
    }
}

extension NetworkError {
    /// Returns the error for a client certificate in PEM files, which `URLSession` does not support: it uses identities in keychains.
    static func clientCertificateInFile(_ identity: TransportSecurity.ClientIdentity) -> NetworkError {
        let file = identity.certificateFile.path
        return .unsupported("URLSession cannot use the client certificate in \(file)", instead: "use the engine")
    }
}
