import SallyportTransport
import X509

/// Determines why a server's certificates do not lead to a trusted authority, by following them from issuer to issuer.
struct ChainDiagnosis {
    let roots: TrustRoots
    /// The certificates that the server sent in addition to its own.
    let others: [PresentedCertificate]

    /// Returns the reason for the refusal.
    ///
    /// - Parameter leaf: The server's own certificate. No chain could be built for it.
    func refusal(of leaf: Certificate) -> CertificateRefusal {
        if let refusal = leaf.defect { return refusal }
        var left = others.compactMap { try? $0.get() }
        var tip = leaf
        while true {
            if tip.isSelfSigned {
                let isNamesake = !roots.named(tip.subject).isEmpty
                if tip == leaf && !isNamesake { return .selfSigned }
                return blame(.unknownRoot(tip.subject, isNamesake: isNamesake), on: leaf, leaf)
            }
            if !roots.named(tip.issuer).isEmpty { return blame(.forged(tip.issuer), on: tip, leaf) }
            let namesakes = left.filter { $0.subject == tip.issuer }
            guard let issuer = namesakes.first(where: { $0.publicKey.isValidSignature(tip.signature, for: tip) }) else {
                return blame(reasonForMissingIssuer(of: tip, namesakes), on: tip, leaf)
            }
            if let defect = issuer.defect { return defect.of(issuer.subject) }
            left.removeAll { $0 == issuer }
            tip = issuer
        }
    }

    private func reasonForMissingIssuer(of tip: Certificate, _ namesakes: [Certificate]) -> CertificateRefusal {
        if !namesakes.isEmpty { return .forged(tip.issuer) }
        guard let unusable = others.first(where: { $0.isUnusable(named: tip.issuer) }) else {
            return .missingIssuer(tip.issuer)
        }
        do throws(CertificateRefusal) {
            _ = try unusable.get()
            return .missingIssuer(tip.issuer)
        } catch {
            return error.of(tip.issuer)
        }
    }

    private func blame(
        _ refusal: CertificateRefusal,
        on tip: Certificate,
        _ leaf: Certificate
    ) -> CertificateRefusal {
        tip == leaf ? refusal : refusal.of(tip.subject)
    }
}

extension Certificate {
    fileprivate var isSelfSigned: Bool { issuer == subject && publicKey.isValidSignature(signature, for: self) }

    /// The defect that makes the certificate unusable in any chain.
    fileprivate var defect: CertificateRefusal? {
        let known = ChainPolicy.understoodExtensions
        if let unknown = extensions.first(where: { $0.critical && !known.contains($0.oid) }) {
            return .unknownExtension("\(unknown.oid)")
        }
        if let weakSignature, !(issuer == subject) { return .weakSignature(weakSignature) }
        return Self.signatureAlgorithms.contains(signatureAlgorithm) ? nil : .unknownSignature
    }

    private static let signatureAlgorithms: Set<SignatureAlgorithm> = [
        .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .ed25519,
        .sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption, .sha1WithRSAEncryption,
    ]
}
