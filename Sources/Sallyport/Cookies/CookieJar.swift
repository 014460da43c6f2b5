import Foundation
import SallyportTransport

/// Stores cookies and finds those to send, by the rules of RFC 6265bis.
///
/// One jar may be shared by any number of clients and tasks. `SameSite` is kept but not enforced, because a client has
/// no site of its own.
///
/// ```swift
/// let jar = CookieJar()
/// jar.store(setCookie: ["id=42; Path=/; Secure"], from: url)
/// let header = jar.cookieHeader(for: url) // "id=42"
/// ```
public final class CookieJar: Sendable {
    private let publicSuffixes: PublicSuffixes
    private let state: Locked<CookieStore>

    /// Makes an empty jar.
    ///
    /// Above its limits the jar drops expired cookies, then those of a crowded domain that are not secure, then any
    /// of it, then any at all; among equals the least recently used goes first (RFC 6265bis section 5.7).
    ///
    /// - Parameters:
    ///   - publicSuffixes: The domains that no cookie may cover.
    ///   - maximumPerDomain: The most cookies kept for one domain.
    ///   - maximumInAll: The most cookies kept in all.
    public init(publicSuffixes: PublicSuffixes = .builtIn, maximumPerDomain: Int = 50, maximumInAll: Int = 3000) {
        self.publicSuffixes = publicSuffixes
        state = Locked(CookieStore(maximumPerDomain: maximumPerDomain, maximumInAll: maximumInAll))
    }

    /// Stores what a response's `Set-Cookie` fields ask for, and passes over those that must be refused
    /// (RFC 6265bis section 5.7).
    ///
    /// - Parameters:
    ///   - values: The field values, one for each field of the response.
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

    /// Stores a cookie made by hand, in place of one with the same name, domain and path.
    ///
    /// A cookie that has expired removes its namesake; one that lives longer than 400 days is cut to that.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - now: The present time.
    /// - Returns: Whether the jar accepted it. It refuses what no server could set: control characters or semicolons,
    ///   a name and value of more than 4096 octets, a public suffix, a broken promise of `__Host-` or `__Secure-`.
    @discardableResult
    public func store(_ cookie: Cookie, now: Date = Date()) -> Bool {
        guard cookie.defect == nil, cookie.keepsItsPromises else { return false }
        guard cookie.isHostOnly || !publicSuffixes.isPublicSuffix(cookie.domain) else { return false }
        state.withLock { store in store.insert(cookie, now: now) }
        return true
    }

    /// The cookies to send to a URL: longer paths first, then older cookies first (RFC 6265bis section 5.8.3).
    ///
    /// - Parameters:
    ///   - url: The URL of the request. Secure cookies go to `https` only.
    ///   - now: The time of the request.
    /// - Returns: The cookies, each of which now counts as just used.
    public func cookies(for url: URL, now: Date = Date()) -> [Cookie] {
        guard let host = CookieHost(url) else { return [] }
        let path = CookiePath.requestPath(of: url)
        return state.withLock { store in
            store.cookies(for: host, path: path, isSecure: url.isSecureForCookies, now: now)
        }
    }

    /// The value of the `Cookie` field to send to a URL, or `nil` when there are no cookies for it.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - now: The time of the request.
    public func cookieHeader(for url: URL, now: Date = Date()) -> String? {
        let cookies = cookies(for: url, now: now)
        return cookies.isEmpty ? nil : Cookie.header(cookies)
    }

    /// Whether it holds no cookie, not even an expired one.
    var isEmpty: Bool { state.withLock { store in store.isEmpty } }

    /// Every cookie that has not expired, oldest first.
    public var allCookies: [Cookie] {
        state.withLock { store in store.allCookies(now: Date()) }
    }

    /// Removes one cookie.
    ///
    /// - Parameters:
    ///   - name: Its name, in the same case.
    ///   - domain: Its domain, in any case, with or without a leading dot.
    ///   - path: Its path.
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
