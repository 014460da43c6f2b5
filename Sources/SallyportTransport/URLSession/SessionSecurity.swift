import Foundation

#if !canImport(Security)
/// What the session does beyond the system's own checks: nothing, on platforms where it lets nobody take part.
struct SessionSecurity: Sendable {
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for anything but the system's authorities, as `URLSession` has
    ///   no other way here than an environment variable for the whole process.
    init(_ security: TransportSecurity) throws(NetworkError) {
        switch security.trustRoots {
        case .system: break
        case .file(let url): throw .notOnThisPlatform("the certificate authorities in \(url.path)")
        case .pem: throw .notOnThisPlatform("certificate authorities other than the system's")
        }
        if let identity = security.clientIdentity { throw .clientCertificateInFile(identity) }
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
