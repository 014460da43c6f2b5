import Foundation

extension Cookie {
    /// The most octets that a name and value may have together (RFC 6265bis section 5.6).
    static let maximumSize = 4096

    /// The longest time, in seconds, that a cookie may live from now: 400 days (RFC 6265bis section 5.5).
    static let maximumLifetime: TimeInterval = 400 * 24 * 60 * 60

    /// What keeps this cookie from being sent as it stands, or `nil` when it is well formed. Never holds the value.
    var defect: String? {
        if name.isEmpty && value.isEmpty { return "it has neither a name nor a value" }
        if name.utf8.count + value.utf8.count > Cookie.maximumSize {
            return "its name and value exceed \(Cookie.maximumSize) octets"
        }
        if name.utf8.contains(UInt8(ascii: "=")) { return "its name holds an equals sign" }
        if !Cookie.isPlain(name) { return "its name holds a control character or semicolon" }
        if !Cookie.isPlain(value) { return "its value holds a control character or semicolon" }
        if !Cookie.isPlain(path) || path.utf8.first != UInt8(ascii: "/") { return "its path is not a path" }
        if CookieHost(domain)?.name != domain { return "its domain is not a host name" }
        return nil
    }

    /// Whether the cookie has the attributes that its name prefix promises, and that `SameSite=None` needs
    /// (RFC 6265bis section 5.7).
    var keepsItsPromises: Bool {
        if !isSecure && sameSitePolicy == SameSitePolicy.none { return false }
        if name.isEmpty { return !Cookie.hasSecurePrefix(value) && !Cookie.hasHostPrefix(value) }
        if Cookie.hasHostPrefix(name) { return isSecure && isHostOnly && path == "/" }
        return isSecure || !Cookie.hasSecurePrefix(name)
    }

    static func hasHostPrefix(_ text: String) -> Bool {
        text.lowercased().utf8.starts(with: "__host-".utf8)
    }

    private static func hasSecurePrefix(_ text: String) -> Bool {
        text.lowercased().utf8.starts(with: "__secure-".utf8)
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.utf8.contains { isControl($0) || $0 == UInt8(ascii: ";") }
    }

    /// Whether an octet is a control character; a tab is not counted, as in RFC 6265bis section 5.6.
    static func isControl(_ octet: UInt8) -> Bool {
        octet < 0x20 && octet != 0x09 || octet == 0x7F
    }

    /// The same cookie, expiring no later than `limit`.
    func expiring(by limit: Date) -> Cookie {
        guard let expiresDate, expiresDate > limit else { return self }
        return Cookie(
            name: name,
            value: value,
            domain: domain,
            path: path,
            expiresDate: limit,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            isHostOnly: isHostOnly,
            sameSitePolicy: sameSitePolicy
        )
    }
}
