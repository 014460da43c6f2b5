import Foundation
import SallyportStorage
import SallyportTransport

/// A store for cookies that selects the cookies for each request, by the rules of RFC 6265bis.
///
/// Clients and tasks may share a jar. Its cookies are sent with all their requests, so clients that act for different users need
/// separate jars. `SameSite` is stored but not enforced, because requests of a client have no initiating site.
///
/// ```swift
/// let jar = CookieJar()
/// jar.store(setCookie: ["id=42; Path=/; Secure"], from: url)
/// let header = jar.cookieHeader(for: url) // "id=42"
/// ```
public final class CookieJar: Sendable {
    private let publicSuffixes: PublicSuffixes
    private let state: Locked<CookieStore>

    /// Creates an empty jar.
    ///
    /// If a limit is exceeded, the jar removes expired cookies first, then cookies of the domain that exceeds its limit, insecure
    /// ones first, then cookies of any domain. Among equals, it removes the least recently used cookie (RFC 6265bis section 5.7).
    ///
    /// - Parameters:
    ///   - publicSuffixes: The domains that no cookie may be set for.
    ///   - maximumPerDomain: The maximum number of cookies for a domain.
    ///   - maximumTotal: The maximum number of cookies for all domains together.
    public init(publicSuffixes: PublicSuffixes = .builtIn, maximumPerDomain: Int = 50, maximumTotal: Int = 3000) {
        self.publicSuffixes = publicSuffixes
        state = Locked(CookieStore(maximumPerDomain: maximumPerDomain, maximumTotal: maximumTotal))
    }

    /// Stores the cookies of a response's `Set-Cookie` fields, except those that must be rejected (RFC 6265bis section 5.7).
    ///
    /// - Parameters:
    ///   - values: The values of the fields.
    ///   - url: The URL of the response's request.
    ///   - now: The time of the response.
    public func store(setCookie values: [String], from url: URL, now: Date = Date()) {
        for value in values {
            let parsed = Cookie.parse(setCookie: value, from: url, at: now, publicSuffixes: publicSuffixes)
            guard let cookie = parsed else { continue }
            state.withLock { store in
                if !url.isSecureForCookies && store.protectsSecureCookie(from: cookie, now: now) { return }
                store.insert(cookie, now: now)
            }
        }
    }

    /// Stores a cookie, which replaces a cookie with the same name, domain and path.
    ///
    /// An expired cookie only removes that cookie. The lifetime is limited to 400 days.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - now: The current time.
    /// - Returns: `false` if the jar rejected the cookie, because no server could set it: it contains control characters or
    ///   semicolons, its name and value exceed 4096 octets, its domain is a public suffix, or it violates the rules of its prefix
    ///   `__Host-` or `__Secure-`.
    @discardableResult
    public func store(_ cookie: Cookie, now: Date = Date()) -> Bool {
        guard cookie.defect == nil, cookie.satisfiesPrefix else { return false }
        guard cookie.isHostOnly || !publicSuffixes.isPublicSuffix(cookie.domain) else { return false }
        state.withLock { store in store.insert(cookie, now: now) }
        return true
    }

    /// Returns the cookies to send to a URL, longer paths first, then older cookies first (RFC 6265bis section 5.8.3).
    ///
    /// - Parameters:
    ///   - url: The URL of the request. Secure cookies are sent to `https` URLs, and to `http` URLs of loopback hosts only.
    ///   - now: The time of the request.
    /// - Returns: The cookies. Each is marked as used at this time.
    public func cookies(for url: URL, now: Date = Date()) -> [Cookie] {
        guard let host = CookieHost(url) else { return [] }
        let path = CookiePath.requestPath(of: url)
        return state.withLock { store in
            store.cookies(for: host, path: path, isSecure: url.isSecureForCookies, now: now)
        }
    }

    /// Returns the value of the `Cookie` field to send to a URL, or `nil` if there are no cookies for it.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - now: The time of the request.
    public func cookieHeader(for url: URL, now: Date = Date()) -> String? {
        let cookies = cookies(for: url, now: now)
        return cookies.isEmpty ? nil : Cookie.header(cookies)
    }

    /// A Boolean value that indicates whether the jar contains no cookie, not even an expired one.
    var isEmpty: Bool { state.withLock { store in store.isEmpty } }

    /// All cookies that have not expired, oldest first.
    public var allCookies: [Cookie] {
        state.withLock { store in store.allCookies(now: Date()) }
    }

    /// Removes one cookie.
    ///
    /// - Parameters:
    ///   - name: The name, in the same case.
    ///   - domain: The domain, in any case, with or without a leading dot.
    ///   - path: The path.
    public func remove(name: String, domain: String, path: String = "/") {
        let domain = Cookie(name: name, value: "", domain: domain).domain
        state.withLock { store in store.removeAll(in: domain) { $0.name == name && $0.path == path } }
    }

    /// Removes the cookies that have no expiry date, as a browser does when it closes.
    public func removeSessionCookies() {
        state.withLock { store in store.removeAll { $0.expiresDate == nil } }
    }

    /// Removes all cookies.
    public func removeAll() {
        state.withLock { store in store.removeAll { _ in true } }
    }
}
