import SallyportJOSE
import SallyportTransport

/// The issuer identifier of a server with several tenants. The text `{tenantid}` in it stands for the tenant.
package struct IssuerTemplate: Sendable {
    /// The name of the tenant in a template.
    package static let placeholder = "{tenantid}"

    private let start: Substring
    private let end: Substring

    /// Returns `nil` for a text that does not contain the placeholder once.
    package init?(_ text: String) {
        let parts = text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        (start, end) = (parts[0], parts[1])
    }

    /// Returns the issuer of a tenant; `nil` for an identifier that could change the rest of the issuer.
    func issuer(of tenant: String) -> String? {
        Self.isTenant(tenant) ? "\(start)\(tenant)\(end)" : nil
    }

    /// Returns `true` if an issuer is the issuer of any tenant.
    package func matches(_ issuer: String) -> Bool {
        guard issuer.hasPrefix(start), issuer.hasSuffix(end), issuer.utf8.count > start.utf8.count + end.utf8.count
        else {
            return false
        }
        return Self.isTenant(issuer.dropFirst(start.count).dropLast(end.count))
    }

    private static func isTenant(_ text: some StringProtocol) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.contains { $0 != UInt8(ascii: ".") }
            && text.utf8.allSatisfy { $0.isAlphanumeric || "-_.".utf8.contains($0) }
    }
}

extension JsonWebKey {
    /// Returns `true` unless the key signs for another issuer only. In a set that tenants share, a key may name its issuer.
    func isOfIssuer(of signature: JsonWebSignature) -> Bool {
        guard let issuer = members["issuer"]?.string, IssuerTemplate(issuer) == nil else { return true }
        return issuer == (try? signature.claims())?["iss"]?.string
    }
}
