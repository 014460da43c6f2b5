import SallyportTransport

#if canImport(Security)
import Foundation
import Security

/// The checks of a server's certificates in addition to the system's: other authorities, and pins.
///
/// `@unchecked` because `SecCertificate` is an immutable Core Foundation object without a Sendable annotation.
struct SessionSecurity: @unchecked Sendable {
    private let authorities: [SecCertificate]?
    let pins: CertificatePins

    /// Loads the trust roots.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a file that cannot be used.
    init(_ security: TransportSecurity) throws(NetworkError) {
        try security.checkForSession()
        pins = security.pins
        switch security.trustRoots {
        case .system:
            authorities = nil
        case .pem(let text):
            authorities = try Self.certificates(in: text, from: "the PEM text")
        case .file(let url):
            guard let text = try? String(contentsOf: url, encoding: .utf8) else {
                throw .invalidRequest(NetworkFailure("the CA file \(url.path) cannot be read"))
            }
            authorities = try Self.certificates(in: text, from: "the CA file \(url.path)")
        }
    }

    /// Returns a Boolean value that indicates whether a host requires checks in addition to the system's.
    func requiresChecks(for host: String) -> Bool { authorities != nil || pins.hasPins(for: host) }

    /// Returns the credential for a chain that is trusted and matches the pins of its host.
    ///
    /// - Throws: ``NetworkError/certificateRefused(_:)`` or ``NetworkError/pinMismatch(_:)``.
    func credential(for trust: SecTrust, of host: String) throws(NetworkError) -> URLCredential {
        if let authorities {
            SecTrustSetAnchorCertificates(trust, authorities as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, true)
        }
        var failure: CFError?
        guard SecTrustEvaluateWithError(trust, &failure) else {
            let reason = failure.map { CFErrorCopyDescription($0) as String } ?? "it is not trusted"
            throw .certificateRefused(
                NetworkFailure("the certificate of \(host) was refused: \(reason)", phase: .tls)
            )
        }
        try pins.check(host) { () throws(NetworkError) in try Self.chain(of: trust, for: host) }
        return URLCredential(trust: trust)
    }

    /// Returns the chain that the system has built, which may differ from the one that the server sent.
    private static func chain(
        of trust: SecTrust,
        for host: String
    ) throws(NetworkError) -> [PinMismatch.Certificate] {
        guard let certificates = SecTrustCopyCertificateChain(trust) as? [SecCertificate] else {
            throw .certificateRefused(NetworkFailure("the system has no certificate chain of \(host)", phase: .tls))
        }
        var chain: [PinMismatch.Certificate] = []
        for certificate in certificates {
            let subject = SecCertificateCopySubjectSummary(certificate) as String? ?? "no name"
            let pin = try CertificatePin(certificateDER: SecCertificateCopyData(certificate) as Data)
            chain.append(PinMismatch.Certificate(subject: subject, pin: pin))
        }
        return chain
    }

    private static func certificates(
        in text: String,
        from source: String
    ) throws(NetworkError) -> [SecCertificate] {
        let blocks = PEMCertificates(text)?.der ?? []
        let certificates = blocks.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
        guard !certificates.isEmpty, certificates.count == blocks.count else {
            throw .invalidRequest(NetworkFailure("\(source) contains no PEM certificates, or an invalid one"))
        }
        return certificates
    }
}

extension URLSessionEvents {
    /// Handles the challenge of a task. The challenge of a session would not identify the exchange that must fail.
    @objc(URLSession:task:didReceiveChallenge:completionHandler:)
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let host = challenge.protectionSpace.host
        guard let trust = challenge.protectionSpace.serverTrust, security.requiresChecks(for: host) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        do throws(NetworkError) {
            let credential = try security.credential(for: trust, of: host)
            if security.pins.hasPins(for: host) { comparedPins() }
            completionHandler(.useCredential, credential)
        } catch {
            exchange(task)?.fail(error)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
}
#endif
