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

    /// A Boolean value that indicates whether the host is `localhost` or a name below it, which resolve to loopback addresses
    /// only (RFC 6761, section 6.3).
    package var isLocalhost: Bool {
        let name = host.last == "." ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// A Boolean value that indicates whether the host is a loopback address or a name that resolves to one.
    package var isLoopback: Bool { isLocalhost || NumericAddress(host)?.isLoopback == true }

    /// The host and port as they stand in a URL, with the port always.
    package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension NetworkError {
    /// The refusal of a request with ``TransportRequest/requiresSecureTransport`` that others could read on its way.
    ///
    /// - Parameter proxy: The proxy that it would be sent through; `nil` if it would be sent to another computer directly.
    package static func cleartext(to origin: Origin, through proxy: Proxy? = nil) -> NetworkError {
        let way = proxy.map { "through the proxy \($0.place)" } ?? "to another computer"
        let reason = "the request to \(origin.authority) is confidential, and would be sent \(way) over plain HTTP"
        let exception = proxy == nil ? "" : ", or exclude the host from the proxy, as with NO_PROXY"
        return .invalidRequest(NetworkFailure(reason, advice: "use https\(exception)"))
    }
}

extension Origin {
    /// Hosts and ports tell most servers apart; a scheme would be hashed as a text.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }
}
