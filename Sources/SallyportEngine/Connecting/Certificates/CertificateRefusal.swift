import Foundation
import SallyportTransport
import SwiftASN1
import X509

/// The reason why a server's certificates are refused.
///
/// The text continues a sentence that begins with "the certificate of" the server or authority.
struct CertificateRefusal: Error, Sendable {
    private let reason: String
    private let advice: String?
    /// The subject of the refused certificate, or `nil` for the server's own.
    private var authority: String?

    private init(_ reason: String, advice: String? = nil) {
        self.reason = reason
        self.advice = advice
    }

    /// Returns the refusal for another certificate than the server's own.
    func of(_ certificate: DistinguishedName) -> CertificateRefusal {
        var refusal = self
        refusal.authority = certificate.shortName
        return refusal
    }

    /// Returns the error for a call to a server.
    func error(for server: TLSServerName) -> NetworkError {
        let whose = authority.map { "of the authority \"\($0)\", in the chain of \(server)," } ?? "of \(server)"
        return .certificateRefused(NetworkFailure("the certificate \(whose) \(reason)", phase: .tls, advice: advice))
    }
}

extension CertificateRefusal {
    static let unreadable = Self("cannot be read, or has a key of a kind that is not supported")

    static let noneSent = Self("was not sent")

    static func tooMany(limit: Int) -> Self {
        Self("came with more than \(limit) others", advice: "the server should send its own chain only")
    }

    static func weakKey(bits: Int) -> Self {
        let minimum = PresentedCertificate.minimumRSAKeyBits
        return Self(
            "has an RSA key of \(bits) bits, which is too weak",
            advice: "it must be reissued with a key of at least \(minimum) bits"
        )
    }

    static func weakSignature(_ algorithm: String) -> Self {
        Self(
            "is signed with \(algorithm), which can be forged",
            advice: "it must be reissued with a SHA-256 signature"
        )
    }

    static let unknownSignature = Self("is signed with an algorithm that is not supported")

    static func expired(_ time: Date) -> Self {
        Self(
            "expired on \(time.iso8601Text)",
            advice: "it must be renewed, unless the clock of this machine is wrong"
        )
    }

    static func notYetValid(_ time: Date) -> Self {
        Self("is not valid before \(time.iso8601Text)", advice: "check the clock of this machine")
    }

    static func otherNames(_ names: [String]) -> Self {
        Self(
            "is for other names: \(names.summary)",
            advice: "call the server by a name in its certificate"
        )
    }

    static func onlyCommonName(_ name: String?) -> Self {
        Self(
            name.map {
                "has no subject alternative name but only a common name, \"\(sanitized($0))\", which is not used"
            } ?? "has neither a subject alternative name nor a common name",
            advice: "it must be reissued with the server's name as a subject alternative name"
        )
    }

    static func wideWildcard(_ name: String) -> Self {
        Self(
            "has the name \(sanitized(name)), which would cover a whole top-level domain",
            advice:
                "it must be reissued with the server's name, or with a wildcard for a domain with two or more labels"
        )
    }

    static let selfSigned = Self(
        "is self-signed",
        advice: SettingAdvice.trustServer.rawValue
    )

    static func unknownRoot(_ name: DistinguishedName, isNamesake: Bool) -> Self {
        Self(
            isNamesake
                ? "was issued by another authority than the trusted one with the name \"\(name.shortName)\""
                : "was issued by the authority \"\(name.shortName)\", which is not trusted",
            advice: SettingAdvice.trustAuthority.rawValue
        )
    }

    static func missingIssuer(_ name: DistinguishedName) -> Self {
        Self(
            "was issued by \"\(name.shortName)\", whose certificate the server did not send and which is not a trusted authority",
            advice:
                "the server has to send its intermediate certificates; \(SettingAdvice.trustMissingAuthority.rawValue)"
        )
    }

    static func forged(_ name: DistinguishedName) -> Self {
        Self(
            "is not signed by the key of its issuer \"\(name.shortName)\"",
            advice: "the connection may be intercepted"
        )
    }

    static let notAnAuthority = Self("does not allow it to issue certificates")

    static let unnamedAuthority = Self(
        "has an authority without a name in its chain",
        advice: "the authority must be reissued with a subject"
    )

    static let authorityAsServer = Self(
        "belongs to an authority, not to a server",
        advice: "the server needs a certificate of its own"
    )

    static let tooManyBelow = Self("does not allow so many authorities below it")

    static func notForServers(_ usages: String) -> Self {
        Self("is for \(usages), not for servers", advice: "it must be reissued for serverAuth")
    }

    static let keyNotForTLS = Self("does not allow its key to be used in TLS")

    static func outsideConstraints(of name: DistinguishedName) -> Self {
        Self("is not for names that the authority \"\(name.shortName)\" is allowed to issue certificates for")
    }

    static let unsupportedConstraints = Self(
        "has name constraints that are malformed, or of a kind that is not supported"
    )

    static func tooManyConstraints(limit: Int) -> Self {
        Self(
            "has so many name constraints that comparing them with the names below it takes more than \(limit) steps",
            advice:
                "the authority should be reissued with fewer constraints, or the server's certificate with fewer names"
        )
    }

    static func unknownExtension(_ identifier: String) -> Self {
        Self("has an unknown critical extension, \(identifier)")
    }

    static func other(_ reason: String) -> Self {
        Self("is not valid: \(sanitized(reason))")
    }
}

extension DistinguishedName {
    /// The common name, or else another attribute, in a form that is safe to show.
    var shortName: String {
        let types: [ASN1ObjectIdentifier] = [
            .RDNAttributeType.commonName, .RDNAttributeType.organizationalUnitName, .RDNAttributeType.organizationName,
        ]
        let attributes = flatMap { $0 }
        for type in types {
            if let value = attributes.last(where: { $0.type == type }).flatMap({ String($0.value) }) {
                return sanitized(value)
            }
        }
        return sanitized(description)
    }

    var commonName: String? {
        flatMap { $0 }.last { $0.type == .RDNAttributeType.commonName }.flatMap { String($0.value) }
    }
}

/// Returns text from a certificate in a form that is safe to show, and shortened.
func sanitized(_ text: String) -> String { VisibleText.line(text, longest: 200) }

extension [String] {
    /// The first elements, and the number of further ones.
    fileprivate var summary: String {
        let maximum = 5
        return prefix(maximum).map(sanitized).joined(separator: ", ")
            + (count > maximum ? " and \(count - maximum) more" : "")
    }
}

extension Date {
    fileprivate var iso8601Text: String { formatted(.iso8601) }
}
