import Foundation

/// One HTTP cookie, as RFC 6265bis stores it.
///
/// Cookies normally come out of `Set-Cookie` header fields, through ``CookieJar/store(setCookie:from:now:)`` or
/// ``parse(setCookie:from:at:publicSuffixes:)``. The ``value`` is a secret, so neither `print` nor `dump` shows it.
///
/// ```swift
/// let cookie = Cookie(name: "session", value: token, domain: "api.example.com")
/// jar.store(cookie)
/// ```
public struct Cookie: Sendable, Hashable {
    /// Which cross-site requests may carry a cookie (RFC 6265bis section 5.6.7). Kept, but not enforced, by the jar.
    public enum SameSitePolicy: Sendable, Hashable {
        /// Requests from the same site only.
        case strict
        /// Requests from the same site, and top-level navigation to it.
        case lax
        /// Any request. Beside an optional, write `Cookie.SameSitePolicy.none` in full.
        case none
    }

    /// The name, which is empty for a nameless cookie.
    public let name: String

    /// The value: a secret.
    public let value: String

    /// The host or domain, in lower case, without a leading dot.
    public let domain: String

    /// The path that a request's path must be at or below.
    public let path: String

    /// When the cookie expires, or `nil` for a session cookie.
    public let expiresDate: Date?

    /// Whether the cookie goes to `https` URLs only.
    public let isSecure: Bool

    /// Whether the cookie is hidden from scripts in a browser. The jar treats such cookies like all others.
    public let isHTTPOnly: Bool

    /// Whether the cookie goes to ``domain`` itself only, and to no host below it.
    public let isHostOnly: Bool

    /// The `SameSite` attribute, or `nil` when there was none that is known.
    public let sameSitePolicy: SameSitePolicy?

    /// Makes a cookie by hand. The defaults are the narrowest: one host, and `https` only.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - domain: The host or domain, in any case; one leading dot is dropped.
    ///   - path: The path prefix.
    ///   - expiresDate: When it expires; `nil` makes a session cookie.
    ///   - isSecure: Whether it goes to `https` URLs only.
    ///   - isHTTPOnly: Whether it is hidden from scripts.
    ///   - isHostOnly: Whether it stays away from the hosts below `domain`.
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
}

extension Cookie {
    /// The value of a `Cookie` field (RFC 6265bis section 5.8.3).
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
