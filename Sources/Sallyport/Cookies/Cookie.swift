import Foundation

/// An HTTP cookie with the attributes that RFC 6265bis stores.
///
/// Cookies are normally created from `Set-Cookie` header fields, by ``CookieJar/store(setCookie:from:now:)`` or
/// ``parse(setCookie:from:at:publicSuffixes:)``. The ``value`` is a secret, which neither `print` nor `dump` shows.
///
/// ```swift
/// let cookie = Cookie(name: "session", value: token, domain: "api.example.com")
/// jar.store(cookie)
/// ```
public struct Cookie: Sendable, Hashable {
    /// The cross-site requests that may carry a cookie (RFC 6265bis section 5.6.7). The jar stores the policy but does not enforce it.
    public enum SameSitePolicy: Sendable, Hashable {
        /// Requests from the same site only.
        case strict
        /// Requests from the same site, and top-level navigation to it.
        case lax
        /// Any request. Where an optional is expected, write `Cookie.SameSitePolicy.none`, because `.none` means `nil`.
        case none
    }

    /// The name; empty for a nameless cookie.
    public let name: String

    /// The value, which is a secret.
    public let value: String

    /// The host or domain, in lower case, without a leading dot.
    public let domain: String

    /// The path that the path of a request must equal or be below.
    public let path: String

    /// The date at which the cookie expires; `nil` for a session cookie.
    public let expiresDate: Date?

    /// A Boolean value that indicates whether the cookie is sent to `https` URLs, and to `http` URLs of loopback hosts only.
    public let isSecure: Bool

    /// A Boolean value that indicates whether the cookie is hidden from scripts in a browser. The jar treats it like any other.
    public let isHTTPOnly: Bool

    /// A Boolean value that indicates whether the cookie is sent to ``domain`` only, and to no subdomain.
    public let isHostOnly: Bool

    /// The `SameSite` attribute; `nil` if it was absent or unknown.
    public let sameSitePolicy: SameSitePolicy?

    /// Creates a cookie. By default it is sent to one host, and over plain HTTP only if it is a loopback host.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - domain: The host or domain, in any case. A leading dot is removed.
    ///   - path: The path that the path of a request must equal or be below.
    ///   - expiresDate: The date at which it expires; `nil` for a session cookie.
    ///   - isSecure: A Boolean value that indicates whether it is sent to `https` URLs, and to `http` URLs of loopback hosts only.
    ///   - isHTTPOnly: A Boolean value that indicates whether it is hidden from scripts.
    ///   - isHostOnly: A Boolean value that indicates whether it is not sent to subdomains of `domain`.
    ///   - sameSitePolicy: The `SameSite` attribute.
    public init(
        name: String,
        value: String,
        domain: String,
        path: String = "/",
        expiresDate: Date? = nil,
        isSecure: Bool = true,
        isHTTPOnly: Bool = false,
        isHostOnly: Bool = true,
        sameSitePolicy: SameSitePolicy? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain).lowercased()
        self.path = path
        self.expiresDate = expiresDate
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.isHostOnly = isHostOnly
        self.sameSitePolicy = sameSitePolicy
    }

    func isExpired(at now: Date) -> Bool {
        expiresDate.map { $0 <= now } ?? false
    }

    /// Returns a Boolean value that indicates whether the cookie may be sent in a request (RFC 6265bis section 5.8.3).
    ///
    /// - Parameters:
    ///   - host: The host of the request.
    ///   - path: The path of the request.
    ///   - isSecure: A Boolean value that indicates whether the request may carry secure cookies.
    func isSent(to host: CookieHost, path: String, isSecure: Bool) -> Bool {
        let matchesHost = isHostOnly ? host.name == domain : host.domainMatches(domain)
        return matchesHost && (isSecure || !self.isSecure) && CookiePath.matches(path, cookiePath: self.path)
    }
}

extension Cookie {
    /// Returns the value of a `Cookie` field (RFC 6265bis section 5.8.3).
    static func header(_ cookies: [Cookie]) -> String {
        cookies.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The name, domain and path, without the value.
    public var description: String {
        "Cookie(\(name), domain: \(domain), path: \(path))"
    }

    /// The name, domain and path, without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "domain": domain, "path": path], displayStyle: .struct)
    }
}

extension Cookie {
    /// The maximum size of name and value together, in octets (RFC 6265bis section 5.6).
    static let maximumSize = 4096

    /// The maximum lifetime of a cookie, in seconds: 400 days (RFC 6265bis section 5.5).
    static let maximumLifetime: TimeInterval = 400 * 24 * 60 * 60

    /// The reason why the cookie is malformed, without its value; `nil` if it is well formed.
    var defect: String? {
        if name.isEmpty && value.isEmpty { return "it has neither a name nor a value" }
        if name.utf8.count + value.utf8.count > Cookie.maximumSize {
            return "its name and value exceed \(Cookie.maximumSize) octets"
        }
        if name.utf8.contains(UInt8(ascii: "=")) { return "its name contains an equals sign" }
        if !Cookie.isPlain(name) { return "its name contains a control character or semicolon" }
        if !Cookie.isPlain(value) { return "its value contains a control character or semicolon" }
        if !Cookie.isPlain(path) || path.utf8.first != UInt8(ascii: "/") { return "its path is not a path" }
        if CookieHost(domain)?.name != domain { return "its domain is not a host name" }
        return nil
    }

    /// A Boolean value that indicates whether the cookie has the attributes that its name prefix and `SameSite=None` require
    /// (RFC 6265bis section 5.7).
    var satisfiesPrefix: Bool {
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

    /// Returns a Boolean value that indicates whether an octet is a control character other than tab (RFC 6265bis section 5.6).
    static func isControl(_ octet: UInt8) -> Bool {
        octet < 0x20 && octet != 0x09 || octet == 0x7F
    }

    /// Returns the cookie with an expiry date no later than `limit`.
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
