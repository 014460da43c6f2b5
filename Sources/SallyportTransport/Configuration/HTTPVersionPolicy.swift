/// Which versions of HTTP a transport speaks.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.httpVersions = .http2
/// ```
public enum HTTPVersionPolicy: Sendable, Hashable {
    /// HTTP/2 where the server chooses it in the TLS handshake, HTTP/1.1 elsewhere (RFC 9113, section 3.2).
    case automatic

    /// HTTP/1.1 only.
    case http1

    /// HTTP/2 only: over TLS the server has to choose it, without TLS it has to know it (RFC 9113, section 3.3).
    case http2
}
