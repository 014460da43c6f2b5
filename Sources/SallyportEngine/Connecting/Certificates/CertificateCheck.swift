import SallyportTransport
import SwiftASN1
import X509

/// Verifies, during the handshake, that a server's certificates lead to a trusted authority and match its pins.
struct CertificateCheck: Sendable {
    let roots: TrustRoots
    let pins: CertificatePins
    let validated: ValidatedChains
    /// A Boolean value that indicates whether every certificate is accepted; see ``TransportSecurity/acceptsUnverifiedServers``.
    var acceptsAll = false

    /// The maximum number of certificates that a server may send in addition to its own.
    static let maximumOthers = 15

    /// Verifies the certificates of a server.
    ///
    /// - Parameters:
    ///   - presented: The certificates that the server sent, in DER, its own first.
    ///   - server: The server's name, which its certificate must contain.
    /// - Throws: ``NetworkError/certificateRefused(_:)`` or ``NetworkError/pinMismatch(_:)``.
    func check(_ presented: [[UInt8]], of server: TLSServerName) async throws(NetworkError) {
        if acceptsAll { return }
        let chain: [Certificate]
        do throws(CertificateRefusal) {
            if let found = validated.chain(for: presented, of: server) {
                chain = found
            } else {
                chain = try await validate(presented, of: server)
                validated.insert(chain, for: presented, of: server)
            }
        } catch {
            throw error.error(for: server)
        }
        try pins.check(server.description) { () throws(NetworkError) in
            var certificates: [PinMismatch.Certificate] = []
            for certificate in chain {
                guard let der = certificate.der, let fields = CertificateFields(der: der) else {
                    throw CertificateRefusal.unreadable.of(certificate.subject).error(for: server)
                }
                let pin = CertificatePin(publicKeyInfo: fields.publicKeyInfo)
                certificates.append(PinMismatch.Certificate(subject: certificate.subject.shortName, pin: pin))
            }
            return certificates
        }
    }

    /// Builds and verifies a chain.
    ///
    /// - Returns: The chain, from the server's certificate to the root.
    private func validate(
        _ presented: [[UInt8]],
        of server: TLSServerName
    ) async throws(CertificateRefusal) -> [Certificate] {
        guard let own = presented.first else { throw .noneSent }
        guard presented.count <= Self.maximumOthers + 1 else { throw .tooMany(limit: Self.maximumOthers) }
        let leaf = try PresentedCertificate(own).get()
        let others = presented.dropFirst().map { PresentedCertificate($0) }
        let intermediates = PresentedStore(others.compactMap { try? $0.get() })

        let policy = ChainPolicy(server)
        var verifier = Verifier(rootCertificates: CertificateStore(custom: roots)) { policy }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(custom: intermediates))
        if case .validCertificate(let chain) = result { return Array(chain) }
        throw policy.refusal ?? ChainDiagnosis(roots: roots, others: others).refusal(of: leaf)
    }
}

extension Certificate {
    /// The certificate in DER.
    var der: [UInt8]? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(self)) != nil else { return nil }
        return serializer.serializedBytes
    }
}
