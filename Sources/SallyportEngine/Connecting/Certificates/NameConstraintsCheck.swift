import Foundation
import SallyportStorage
import SallyportTransport
import SwiftASN1
import X509

/// Checks the names of a chain against the name constraints of its authorities (RFC 5280, sections 4.2.1.10 and 6.1.3).
///
/// The library's policy also applies constraints to self-issued authorities, accepts a wildcard for an excluded name, and compares
/// any number of names with any number of subtrees.
struct NameConstraintsCheck: Sendable {
    /// The maximum number of comparisons of a name with a subtree, for all chains that are tried for a server.
    static let maximumComparisons = 250_000

    private let comparisons = Locked(0)

    /// - Throws: `CertificateRefusal`, or the library's error for an extension that cannot be read.
    func check(_ chain: UnverifiedCertificateChain) throws {
        for (depth, authority) in chain.enumerated().dropFirst() {
            guard let constraints = try authority.extensions.nameConstraints else { continue }
            guard let subtrees = ConstrainedNames(constraints) else {
                throw CertificateRefusal.unsupportedConstraints.of(authority.subject)
            }
            for (index, certificate) in chain.prefix(depth).enumerated() {
                // A new key of an authority is self-issued. The constraints apply to the certificates that it signs.
                if index > 0, certificate.subject == certificate.issuer { continue }
                let names = try certificate.extensions.subjectAlternativeNames?.compactMap(ConstrainedName.init) ?? []
                try count(names.count * subtrees.count, of: authority)
                if names.allSatisfy(subtrees.allow) { continue }
                let refusal = CertificateRefusal.outsideConstraints(of: authority.subject)
                throw index == 0 ? refusal : refusal.of(certificate.subject)
            }
        }
    }

    private func count(_ number: Int, of authority: Certificate) throws(CertificateRefusal) {
        let total = comparisons.withLock { comparisons in
            comparisons += number
            return comparisons
        }
        guard total <= Self.maximumComparisons else {
            throw .tooManyConstraints(limit: Self.maximumComparisons).of(authority.subject)
        }
    }
}

/// A name of a kind that can be constrained.
private enum ConstrainedName {
    /// A host in lower case without a trailing dot, which may begin with a wildcard.
    case host([UInt8])
    case address([UInt8])
    /// The host of a URI; `nil` if it has none, or an address.
    case uri([UInt8]?)

    init?(_ name: GeneralName) {
        switch name {
        case .dnsName(let host): self = .host(host.hostBytes)
        case .ipAddress(let address): self = .address(Array(address.bytes))
        case .uniformResourceIdentifier(let text):
            let host = URLComponents(string: text)?.host ?? ""
            let isName = host.contains { $0.isLetter } && !host.contains(":")
            self = .uri(isName ? host.hostBytes : nil)
        default: return nil
        }
    }
}

/// The names that an authority may certify.
private struct ConstrainedNames {
    private let permitted: [NameSubtree]
    private let excluded: [NameSubtree]

    /// The number of subtrees with which each name is compared.
    var count: Int { permitted.count + excluded.count }

    /// Returns `nil` if a subtree is malformed or of a kind that is not supported, such as a directory name.
    init?(_ constraints: NameConstraints) {
        let permitted = constraints.permittedSubtrees.map(NameSubtree.init)
        let excluded = constraints.excludedSubtrees.map(NameSubtree.init)
        guard !permitted.contains(where: { $0 == nil }), !excluded.contains(where: { $0 == nil }) else { return nil }
        self.permitted = permitted.compactMap(\.self)
        self.excluded = excluded.compactMap(\.self)
    }

    /// Returns `false` if the name is excluded, or if only other names of its kind are permitted.
    func allow(_ name: ConstrainedName) -> Bool {
        if excluded.contains(where: { $0.includesPart(of: name) }) { return false }
        let ofKind = permitted.filter { $0.isOfKind(of: name) }
        return ofKind.isEmpty || ofKind.contains { $0.includes(name) }
    }
}

/// A subtree of a name constraint.
private enum NameSubtree {
    case hosts(Domain)
    case addresses(base: [UInt8], mask: [UInt8])
    case uris(Domain)

    /// A domain with the hosts below it.
    struct Domain {
        /// The name in lower case; empty for all hosts.
        let name: [UInt8]
        /// The name after a dot.
        let suffix: [UInt8]
        /// `true` if the constraint begins with a dot.
        let excludesItself: Bool

        init(_ text: String) {
            let bytes = text.hostBytes
            excludesItself = bytes.first == UInt8(ascii: ".")
            name = excludesItself ? Array(bytes.dropFirst()) : bytes
            suffix = [UInt8(ascii: ".")] + name
        }

        func includes(_ host: [UInt8]) -> Bool {
            if name.isEmpty { return true }
            if host.count > suffix.count { return host[(host.count - suffix.count)...].elementsEqual(suffix) }
            return !excludesItself && host == name
        }

        /// Returns `true` if the domain itself is one of the hosts of a wildcard.
        func isNamed(by wildcard: [UInt8]) -> Bool {
            guard !excludesItself, wildcard.starts(with: "*.".utf8), let dot = name.firstIndex(of: UInt8(ascii: "."))
            else { return false }
            return name[dot...].elementsEqual(wildcard.dropFirst())
        }
    }

    init?(_ name: GeneralName) {
        switch name {
        case .dnsName(let domain): self = .hosts(Domain(domain))
        case .uniformResourceIdentifier(let domain): self = .uris(Domain(domain))
        case .ipAddress(let range):
            let bytes = Array(range.bytes)
            guard bytes.count == 8 || bytes.count == 32 else { return nil }
            let (base, mask) = (Array(bytes.prefix(bytes.count / 2)), Array(bytes.suffix(bytes.count / 2)))
            guard mask.isPrefixMask else { return nil }
            self = .addresses(base: base, mask: mask)
        default: return nil
        }
    }

    func isOfKind(of name: ConstrainedName) -> Bool {
        switch (self, name) {
        case (.hosts, .host), (.addresses, .address), (.uris, .uri): true
        default: false
        }
    }

    func includes(_ name: ConstrainedName) -> Bool {
        switch (self, name) {
        case (.hosts(let domain), .host(let host)), (.uris(let domain), .uri(let host?)): domain.includes(host)
        case (.addresses(let base, let mask), .address(let address)):
            address.count == base.count && address.indices.allSatisfy { address[$0] & mask[$0] == base[$0] & mask[$0] }
        default: false
        }
    }

    /// Returns `true` if the name, one of the names that a wildcard stands for, or the unknown host of a URI may be in the subtree.
    func includesPart(of name: ConstrainedName) -> Bool {
        switch (self, name) {
        case (.hosts(let domain), .host(let host)): domain.includes(host) || domain.isNamed(by: host)
        case (.uris, .uri(nil)): true
        default: includes(name)
        }
    }
}

extension String {
    /// The bytes of a host name in lower case, without a trailing dot.
    fileprivate var hostBytes: [UInt8] {
        let bytes = utf8.map { $0.isUppercase ? $0 | 0x20 : $0 }
        return bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
    }
}

extension [UInt8] {
    /// `true` if all ones precede all zeros.
    fileprivate var isPrefixMask: Bool {
        let bits = flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return bits.drop { $0 == 1 }.allSatisfy { $0 == 0 }
    }
}
