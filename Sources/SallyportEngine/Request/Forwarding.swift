import HTTPTypes
import SallyportTransport

/// How a request is told to an HTTP proxy that passes it on: with its whole URL (RFC 9112, section 3.2.2).
struct Forwarding {
    /// The request's target.
    let target: String
    /// The value of `Proxy-Authorization`.
    let authorization: String?

    /// - Returns: `nil` for a request that no proxy reads: one that goes through a tunnel, or without a proxy.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for what would not reach whom it is for.
    init?(of head: HTTPRequest, to origin: Origin, by proxy: Proxy?) throws(NetworkError) {
        guard let proxy, proxy.kind == .http, origin.scheme == .http else {
            guard head.headerFields[.proxyAuthorization] == nil else {
                throw .invalidRequest(
                    NetworkFailure(
                        "Proxy-Authorization would reach the server, as no proxy reads this request",
                        advice: "remove it, and give the proxy's user and password in its URL"
                    )
                )
            }
            return nil
        }
        if let host = head.headerFields.first(where: { $0.name.canonicalName == "host" })?.value {
            let parts = HostAndPort(host[...])
            guard parts?.host == origin.host, parts?.port ?? 80 == origin.port else {
                throw .invalidRequest(
                    NetworkFailure(
                        "Host is not the host of the URL, and the proxy \(proxy.place) would not pass it on",
                        advice: "remove it, or use a SOCKS proxy"
                    )
                )
            }
        }
        // OPTIONS * has no path at all in this form (RFC 9112, section 3.2.4).
        let path = head.path == "*" ? "" : head.path ?? "/"
        target = "http://\(head.authority ?? origin.authority)\(path)"
        authorization = proxy.credentials?.basic
    }
}
