import HTTPTypes

/// The server that a request is for: requests with equal origins can share a connection.
package struct Origin: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http, https

        var defaultPort: Int { self == .https ? 443 : 80 }
    }

    package let scheme: Scheme
    /// Lower-case; an IPv6 address without its brackets.
    package let host: String
    package let port: Int

    /// Reads the origin off a request's scheme and authority (RFC 9110, section 4.3).
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``.
    package init(of request: HTTPRequest) throws(NetworkError) {
        guard let scheme = request.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) }) else {
            throw .invalidRequest("the scheme \"\(request.scheme ?? "")\" is not http or https")
        }
        guard let authority = request.authority, let parts = HostAndPort(authority[...]) else {
            throw .invalidRequest("\"\(request.authorityWithoutUser)\" is not a host with an optional port")
        }
        self.scheme = scheme
        host = parts.host
        port = parts.port ?? scheme.defaultPort
    }

    package init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The host and port as they stand in a URL, with the port always.
    package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension Origin {
    /// Hosts and ports tell most servers apart; a scheme would be hashed as a text.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }
}
