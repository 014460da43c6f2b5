#if canImport(Security)
import Foundation
import Security

/// The certificate authorities that the session trusts in place of the system's.
///
/// `@unchecked` because `SecCertificate` is an immutable Core Foundation object without a Sendable annotation.
struct SessionSecurity: @unchecked Sendable {
    private let authorities: [SecCertificate]?

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a file that cannot be used.
    init(_ security: TransportSecurity) throws(NetworkError) {
        if let identity = security.clientIdentity { throw .clientCertificateInFile(identity) }
        switch security.trustRoots {
        case .system:
            authorities = nil
        case .pem(let text):
            authorities = try Self.certificates(in: text, from: "the text given")
        case .file(let url):
            guard let text = try? String(contentsOf: url, encoding: .utf8) else {
                throw .invalidRequest(NetworkFailure("the CA file \(url.path) cannot be read"))
            }
            authorities = try Self.certificates(in: text, from: "the CA file \(url.path)")
        }
    }

    /// The credential for a chain that ends in one of the authorities, `nil` to refuse it.
    func credential(for trust: SecTrust) -> URLCredential? {
        guard let authorities else { return nil }
        SecTrustSetAnchorCertificates(trust, authorities as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, true)
        return SecTrustEvaluateWithError(trust, nil) ? URLCredential(trust: trust) : nil
    }

    /// Whether the system's own check is replaced.
    var replacesSystem: Bool { authorities != nil }

    private static func certificates(
        in text: String,
        from source: String
    ) throws(NetworkError) -> [SecCertificate] {
        let blocks = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
        let certificates = blocks.compactMap { block -> SecCertificate? in
            let base64 = block.components(separatedBy: "-----END CERTIFICATE-----")[0]
            return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
                .flatMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        }
        guard !certificates.isEmpty, certificates.count == blocks.count else {
            throw .invalidRequest(NetworkFailure("\(source) holds no certificates in PEM"))
        }
        return certificates
    }
}

extension URLSessionEvents {
    @objc(URLSession:didReceiveChallenge:completionHandler:)
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust, let security, security.replacesSystem else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let credential = security.credential(for: trust)
        completionHandler(credential == nil ? .cancelAuthenticationChallenge : .useCredential, credential)
    }
}
#endif
