/// The way in which a client handles redirects.
public enum RedirectPolicy: Sendable, Hashable {
    /// Returns the 3xx response. This is the default, as a redirect may lead to an unexpected place.
    case refuse

    /// Follows redirects, up to a number of times for each call (RFC 9110, section 15.4).
    ///
    /// - 301 and 302 turn a POST into a GET, 303 every method but HEAD; 307 and 308 keep method and body.
    /// - A request to another origin (scheme, host or port) has neither `Authorization`, `Proxy-Authorization`, cookies set
    ///   on the request nor sensitive headers.
    /// - A redirect from `https` to `http` fails with ``NetworkError/invalidResponse(_:)``.
    /// - A redirect to another scheme, such as that of an app, is not followed: the call returns the 3xx response.
    /// - The same URL may appear again. More redirects than the limit fail with ``NetworkError/tooManyRedirects(_:)``.
    case follow(limit: Int)
}
