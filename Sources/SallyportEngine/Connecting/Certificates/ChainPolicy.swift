import Foundation
import NIOCore
import SallyportStorage
import SallyportTransport
import SwiftASN1
import X509

/// The requirements for a chain in addition to its signatures: validity, the server's name, permitted use, strong
/// algorithms, and the constraints of each authority.
struct ChainPolicy: VerifierPolicy {
    private let server: TLSServerName
    private var identity: ServerIdentityPolicy
    private let nameConstraints = NameConstraintsCheck()

    private let firstRefusal = Locked<CertificateRefusal?>(nil)

    init(_ server: TLSServerName) {
        self.server = server
        identity = ServerIdentityPolicy(serverHostname: server.indication, serverIP: server.address)
    }

    /// The refusal of the first chain that could be built. All copies of the policy share it.
    var refusal: CertificateRefusal? { firstRefusal.withLock { $0 } }

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { Self.understoodExtensions }

    /// The critical extensions that are supported.
    ///
    /// Certificate policies (2.5.29.32) are supported as RFC 5280 requires of clients that demand no particular policy.
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
            firstRefusal.withLock { $0 = $0 ?? refusal }
            return .failsToMeetPolicy(reason: "refused")
        }
    }

    private mutating func check(_ chain: UnverifiedCertificateChain) throws {
        let leaf = chain.leaf
        try leaf.checkVersion()
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
        try nameConstraints.check(chain)
        try checkName(chain)
    }

    private func checkAuthorities(of chain: UnverifiedCertificateChain) throws {
        for (depth, authority) in chain.dropFirst().enumerated() {
            let isRoot = depth == chain.count - 2
            if authority.subject.isEmpty { throw CertificateRefusal.unnamedAuthority }
            guard authority.version == .v3 else {
                // Old roots have no extensions. All other authorities must be marked as such.
                if isRoot, authority.version == .v1, authority.extensions.isEmpty { continue }
                throw CertificateRefusal.notAnAuthority.of(authority.subject)
            }
            guard case .isCertificateAuthority(let limit)? = try authority.extensions.basicConstraints,
                try authority.extensions.keyUsage?.keyCertSign != false
            else { throw CertificateRefusal.notAnAuthority.of(authority.subject) }
            let counted = chain.dropFirst().prefix(depth).filter { $0.subject != $0.issuer }.count
            if let limit, counted > limit { throw CertificateRefusal.tooManyBelow.of(authority.subject) }
            // Like browsers, this enforces the extended key usage of intermediates but not of roots.
            if !isRoot, let other = try authority.otherUse {
                throw CertificateRefusal.notForServers(other).of(authority.subject)
            }
        }
    }

    private mutating func checkName(_ chain: UnverifiedCertificateChain) throws {
        let names = try chain.leaf.extensions.subjectAlternativeNames?.compactMap(\.serverName) ?? []
        // The library would accept the common name.
        if names.isEmpty { throw CertificateRefusal.onlyCommonName(chain.leaf.subject.commonName) }
        let matching = names.filter(matches)
        guard case .meetsPolicy = identity.chainMeetsPolicyRequirements(chain: chain), let first = matching.first
        else { throw CertificateRefusal.otherNames(names) }
        if matching.allSatisfy(coversTopLevelDomain) { throw CertificateRefusal.wideWildcard(first) }
    }

    /// Returns a Boolean value that indicates whether a name is a wildcard for a whole top-level domain, such as `*.com`.
    private func coversTopLevelDomain(_ name: String) -> Bool {
        name.hasPrefix("*.") && !name.dropFirst(2).dropLast().contains(".")
    }

    /// Returns a Boolean value that indicates whether a name of a certificate is one of the server.
    ///
    /// The library also accepts `*`, which would match `localhost`, and a wildcard for a part of a label. A wildcard
    /// must be the complete leftmost label of a longer name (RFC 9525, section 6.3), as in a host pattern. `**.` is a form of patterns only.
    private func matches(_ name: String) -> Bool {
        !name.hasPrefix("**.") && (try? HostPattern(name))?.matches(server.description) ?? false
    }
}

extension Certificate {
    fileprivate func checkVersion() throws(CertificateRefusal) {
        guard version == .v3 || extensions.isEmpty else { throw .other("only version 3 defines its extensions") }
    }

    fileprivate func checkValidity(at time: Date = .now) throws(CertificateRefusal) {
        let (first, last) = (notValidBefore, notValidAfter)
        if time > last { throw .expired(last) }
        if time < first { throw .notYetValid(first) }
    }

    /// Checks that the certificate may be used by a server.
    ///
    /// - Parameter isTrustedItself: A Boolean value that indicates whether the certificate is a trust root, as for a
    ///   private server.
    fileprivate func checkUse(isTrustedItself: Bool) throws {
        if !isTrustedItself, case .isCertificateAuthority? = try extensions.basicConstraints {
            throw CertificateRefusal.authorityAsServer
        }
        if let other = try otherUse { throw CertificateRefusal.notForServers(other) }
        if let usage = try extensions.keyUsage, !usage.digitalSignature, !usage.keyEncipherment, !usage.keyAgreement {
            throw CertificateRefusal.keyNotForTLS
        }
    }

    /// The extended key usage, if it excludes servers (RFC 5280, section 4.2.1.12).
    fileprivate var otherUse: String? {
        get throws {
            guard let usages = try extensions.extendedKeyUsage,
                !usages.contains(where: { $0 == .serverAuth || $0 == .any })
            else { return nil }
            return sanitized(usages.map { "\($0)" }.joined(separator: ", "))
        }
    }

    /// The name of the signature algorithm, if signatures of it can be forged.
    var weakSignature: String? {
        signatureAlgorithm == .sha1WithRSAEncryption ? "SHA-1" : nil
    }
}

extension GeneralName {
    /// The name as text, if it can name a server.
    var serverName: String? {
        switch self {
        case .dnsName(let name): name
        case .ipAddress(let address):
            (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: 0))?.ipAddress ?? "an address"
        default: nil
        }
    }
}
