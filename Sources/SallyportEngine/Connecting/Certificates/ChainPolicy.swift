import Foundation
import NIOCore
import SallyportTransport
import SwiftASN1
import X509

/// What a chain has to be beside signed by a trusted authority: valid now, for this server, for servers at all, strong
/// enough, and within what each authority may do.
struct ChainPolicy: VerifierPolicy {
    private let server: ServerName
    private var identity: ServerIdentityPolicy
    private let standard = RFC5280Policy()

    private let first = Locked<CertificateRefusal?>(nil)

    init(_ server: ServerName) {
        self.server = server
        identity = ServerIdentityPolicy(serverHostname: server.indication, serverIP: server.address)
    }

    /// Why the first chain was refused that could be built; the same for all copies.
    var refusal: CertificateRefusal? { first.withLock { $0 } }

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { Self.understoodExtensions }

    /// Certificate policies (2.5.29.32) are understood as RFC 5280 has them for who asks for none.
    static let understoodExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints, [2, 5, 29, 32],
    ]

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        do {
            try check(chain)
            return .meetsPolicy
        } catch {
            let refusal = error as? CertificateRefusal ?? .other("an extension cannot be read")
            first.withLock { $0 = $0 ?? refusal }
            return .failsToMeetPolicy(reason: "refused")
        }
    }

    private mutating func check(_ chain: UnverifiedCertificateChain) throws {
        let leaf = chain.leaf
        try leaf.checkValidity()
        for authority in chain.dropFirst() {
            do throws(CertificateRefusal) {
                try authority.checkValidity()
            } catch {
                throw error.of(authority.subject)
            }
        }
        for certificate in chain.dropLast() {
            if let algorithm = certificate.weakSignature {
                let refusal = CertificateRefusal.weakSignature(algorithm)
                throw certificate == leaf ? refusal : refusal.of(certificate.subject)
            }
        }
        try checkAuthorities(of: chain)
        try leaf.checkUse(isTrustedItself: chain.count == 1)
        try checkStandard(chain)
        try checkName(chain)
    }

    private func checkAuthorities(of chain: UnverifiedCertificateChain) throws {
        for (below, authority) in chain.dropFirst().enumerated() {
            let isRoot = below == chain.count - 2
            guard authority.version == .v3 else {
                // Old roots have no extensions; nothing else may issue without saying that it may.
                if isRoot { continue }
                throw CertificateRefusal.notAnAuthority.of(authority.subject)
            }
            guard case .isCertificateAuthority(let limit)? = try authority.extensions.basicConstraints,
                try authority.extensions.keyUsage?.keyCertSign != false
            else { throw CertificateRefusal.notAnAuthority.of(authority.subject) }
            let counted = chain.dropFirst().prefix(below).filter { $0.subject != $0.issuer }.count
            if let limit, counted > limit { throw CertificateRefusal.tooManyBelow.of(authority.subject) }
            // Browsers hold intermediates to the use that they are limited to, and roots to none.
            if !isRoot, let other = try authority.otherUse {
                throw CertificateRefusal.notForServers(other).of(authority.subject)
            }
        }
    }

    /// RFC 5280 once more, by the library: names that authorities are limited to, and what else it knows.
    ///
    /// A certificate that is itself given as a trust root is no authority, and does not have to be.
    private func checkStandard(_ chain: UnverifiedCertificateChain) throws {
        guard chain.count > 1, case .failsToMeetPolicy(let reason) = standard.chainMeetsPolicyRequirements(chain: chain)
        else { return }
        let limited = chain.dropFirst().last { $0.extensions[oid: .X509ExtensionID.nameConstraints] != nil }
        if let limited { throw CertificateRefusal.outsideConstraints(of: limited.subject) }
        throw CertificateRefusal.other(reason.description)
    }

    private mutating func checkName(_ chain: UnverifiedCertificateChain) throws {
        let names = try chain.leaf.extensions.subjectAlternativeNames?.compactMap(\.ofServer) ?? []
        // The library would take the common name.
        if names.isEmpty { throw CertificateRefusal.onlyCommonName(chain.leaf.subject.commonName) }
        guard case .meetsPolicy = identity.chainMeetsPolicyRequirements(chain: chain), names.contains(where: matches)
        else { throw CertificateRefusal.otherNames(names) }
    }

    /// Returns a Boolean value that indicates whether a name of a certificate is one of the server.
    ///
    /// The library also accepts `*`, which would match `localhost`, and a wildcard for a part of a label. A wildcard must be
    /// the whole leftmost label of a longer name (RFC 9525, section 6.3), as in a host pattern.
    private func matches(_ name: String) -> Bool {
        (try? HostPattern(name))?.matches(server.description) ?? false
    }
}

extension Certificate {
    fileprivate func checkValidity(at time: Date = .now) throws(CertificateRefusal) {
        let (first, last) = (notValidBefore, notValidAfter)
        if time > last { throw .expired(last) }
        if time < first { throw .notYetValid(first) }
    }

    /// - Parameter isTrustedItself: Whether it is a trust root too, as that of a server of one's own may be.
    fileprivate func checkUse(isTrustedItself: Bool) throws {
        if !isTrustedItself, case .isCertificateAuthority? = try extensions.basicConstraints {
            throw CertificateRefusal.authorityAsServer
        }
        if let other = try otherUse { throw CertificateRefusal.notForServers(other) }
        if let usage = try extensions.keyUsage, !usage.digitalSignature, !usage.keyEncipherment, !usage.keyAgreement {
            throw CertificateRefusal.keyNotForTLS
        }
    }

    /// What it is limited to, if that is not to be a server (RFC 5280, section 4.2.1.12).
    fileprivate var otherUse: String? {
        get throws {
            guard let usages = try extensions.extendedKeyUsage,
                !usages.contains(where: { $0 == .serverAuth || $0 == .any })
            else { return nil }
            return shown(usages.map { "\($0)" }.joined(separator: ", "))
        }
    }

    /// The name of an algorithm that its signature could be forged in.
    var weakSignature: String? {
        signatureAlgorithm == .sha1WithRSAEncryption ? "SHA-1" : nil
    }
}

extension GeneralName {
    /// A name by which a server can be called, as text.
    fileprivate var ofServer: String? {
        switch self {
        case .dnsName(let name): name
        case .ipAddress(let address):
            (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: 0))?.ipAddress ?? "an address"
        default: nil
        }
    }
}
