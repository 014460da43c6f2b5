import Foundation
import SallyportTransport

extension Cookie {
    /// Parses the value of one `Set-Cookie` field (RFC 6265bis sections 5.6 and 5.7).
    ///
    /// `Secure` cookies, including those with the prefix `__Secure-` or `__Host-`, are accepted from `https` URLs, and like in browsers
    /// from `http` URLs of loopback hosts.
    ///
    /// A cookie that the server deletes is returned as an expired cookie. The jar decides whether the cookie may replace a secure
    /// cookie.
    ///
    /// ```swift
    /// let cookie = Cookie.parse(setCookie: "id=42; Path=/; Secure", from: url, at: Date())
    /// ```
    ///
    /// - Parameters:
    ///   - setCookie: The value of one field, not several values joined by commas.
    ///   - url: The URL of the response's request.
    ///   - now: The time of the response; `Max-Age` and the limit of 400 days count from it.
    ///   - publicSuffixes: The domains that no cookie may be set for.
    /// - Returns: The cookie, or `nil` if it must be rejected.
    public static func parse(
        setCookie: String,
        from url: URL,
        at now: Date,
        publicSuffixes: PublicSuffixes = .builtIn
    ) -> Cookie? {
        guard !setCookie.utf8.contains(where: isControl), let host = CookieHost(url) else { return nil }
        let parts = setCookie.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let (name, value) = pair(parts[0])
        let attributes = CookieAttributes(parts.dropFirst(), now: now)
        guard let scope = scope(of: attributes.domain, on: host, publicSuffixes: publicSuffixes) else { return nil }

        let cookie = Cookie(
            name: name,
            value: value,
            domain: scope.domain,
            path: attributes.path ?? CookiePath.defaultPath(of: url),
            expiresDate: attributes.expiresDate,
            isSecure: attributes.isSecure,
            isHTTPOnly: attributes.isHTTPOnly,
            isHostOnly: scope.isHostOnly,
            sameSitePolicy: attributes.sameSitePolicy
        )
        if cookie.isSecure && !url.isSecureForCookies { return nil }
        if hasHostPrefix(name) && attributes.path == nil { return nil }
        return cookie.defect == nil && cookie.satisfiesPrefix ? cookie : nil
    }

    private static func pair(_ text: Substring.UTF8View) -> (name: String, value: String) {
        let parts = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return ("", text.trimmedText) }
        return (parts[0].trimmedText, parts[1].trimmedText)
    }

    private static func scope(
        of domain: String,
        on host: CookieHost,
        publicSuffixes: PublicSuffixes
    ) -> (domain: String, isHostOnly: Bool)? {
        if domain.isEmpty { return (host.name, true) }
        guard let domainHost = CookieHost(domain), !domain.hasSuffix(".") else { return nil }
        let isPublic = publicSuffixes.isPublicSuffix(domainHost.name)
        if host == domainHost && (host.isAddress || isPublic) { return (host.name, true) }
        return host.domainMatches(domainHost.name) && !isPublic ? (domainHost.name, false) : nil
    }
}

extension URL {
    /// A Boolean value that indicates whether secure cookies may be received from and sent to this URL: with `https`, or with `http` on
    /// this computer, where nobody else can read them.
    var isSecureForCookies: Bool {
        switch scheme?.lowercased() {
        case "https": true
        case "http": host.map { Origin(scheme: .http, host: $0.lowercased(), port: 80).isLoopback } ?? false
        default: false
        }
    }
}

extension Substring.UTF8View {
    /// The text without spaces and tabs at both ends.
    var trimmedText: String { String(Substring(trimmingBlanks())) }
}
