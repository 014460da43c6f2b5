import Foundation
import SallyportTransport

#if !canImport(Security)
/// What the session does beyond the system's own checks: nothing, on platforms where it lets nobody take part.
struct SessionSecurity: Sendable {
    let pins: CertificatePins

    /// - Throws: ``NetworkError/invalidRequest(_:)`` for anything but the system's authorities, as `URLSession` has
    ///   no other way here than an environment variable for the whole process.
    init(_ security: TransportSecurity) throws(NetworkError) {
        switch security.trustRoots {
        case .system: break
        case .file(let url): throw .notOnThisPlatform("the certificate authorities in \(url.path)")
        case .pem: throw .notOnThisPlatform("certificate authorities other than the system's")
        }
        try security.checkForSession()
        pins = security.pins
        if security.minimumVersion != .tls12 { throw .notOnThisPlatform("a lowest version of TLS") }
    }
}

extension NetworkError {
    fileprivate static func notOnThisPlatform(_ what: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure("URLSession cannot use \(what) on this platform", advice: "use the engine instead")
        )
    }
}
#endif

extension TransportSecurity {
    /// Refuses what `URLSession` can do nowhere.
    func checkForSession() throws(NetworkError) {
        if let identity = clientIdentity { throw .clientCertificateInFile(identity) }
        if let file = keyLogFile {
            throw .unsupported("URLSession cannot write a key log to \(file.path)", instead: "use the engine")
        }
    }

    /// Refuses a call for which `URLSession` cannot do what is configured for its host.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``, also when all pins of the host are over.
    func checkForSession(calling host: String) throws(NetworkError) {
        if let identity = clientIdentity(for: host) { throw .clientCertificateInFile(identity) }
        try pins.checkExpiry(for: host)
        #if !canImport(Security)
        if pins.concern(host) {
            throw .unsupported(
                "URLSession cannot check the pins of \(host) on this platform",
                instead: "use the engine"
            )
        }
        #endif
    }
}

extension NetworkError {
    /// A client certificate in PEM files, which `URLSession` takes nowhere: the system's identities live in keychains.
    static func clientCertificateInFile(_ identity: TransportSecurity.ClientIdentity) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "URLSession cannot use the client certificate in \(identity.certificateFile.path)",
                advice: "use the engine instead"
            )
        )
    }
}
