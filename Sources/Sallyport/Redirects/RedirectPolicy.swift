/// What a client does with a response that sends it elsewhere.
public enum RedirectPolicy: Sendable, Hashable {
    /// The 3xx response is the response. This is the default, as a redirect may lead to a place that was not asked for.
    case refuse

    /// Goes where the response says, up to a number of times for each call.
    ///
    /// - 301 and 302 turn a POST into a GET, 303 everything but a HEAD; 307 and 308 keep method and body.
    /// - To another origin (scheme, host or port), `Authorization`, `Proxy-Authorization`, cookies set on the request
    ///   and headers that are sensitive are left behind.
    /// - From `https` to `http` it never goes: that is ``NetworkError/invalidResponse(_:)``.
    /// - A URL that is neither, such as an app's own scheme, is not followed: the 3xx is the response.
    /// - More redirects than the limit, or a request that repeats an earlier one exactly, cookies included, end in
    ///   ``NetworkError/tooManyRedirects(_:)``.
    case follow(limit: Int)
}
