import NIOCore
import SwiftASN1
import X509

/// The name by which a server is called, and to which its certificate has to be issued (RFC 9525).
struct ServerName: Sendable, CustomStringConvertible {
    private let host: String
    private let isAddress: Bool

    /// - Parameter host: As in an origin: lower-case, an IPv6 address without its brackets.
    init(_ host: String) {
        self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
        isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    var description: String { host }

    /// What is told to the server in the handshake (RFC 6066, section 3): no addresses.
    var indication: String? { isAddress ? nil : host }

    /// Whether a certificate names this server: a host by its name and never by its address, an address by itself.
    func isNamed(in certificate: [UInt8]) async -> Bool {
        guard let certificate = try? Certificate(derEncoded: certificate),
            (try? certificate.extensions.subjectAlternativeNames) != nil
        else { return false }
        var verifier = Verifier(rootCertificates: CertificateStore([certificate])) {
            ServerIdentityPolicy(serverHostname: indication, serverIP: isAddress ? host : nil)
            CheckedInHandshake(certificate)
        }
        let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore())
        if case .validCertificate = result { return true }
        return false
    }
}

/// Stands for what BoringSSL has checked by the time the name is: the critical extensions, which it knows or refuses.
private struct CheckedInHandshake: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]

    init(_ certificate: Certificate) {
        verifyingCriticalExtensions = certificate.extensions.map(\.oid)
    }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        .meetsPolicy
    }
}
