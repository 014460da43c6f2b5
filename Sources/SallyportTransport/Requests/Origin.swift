import HTTPTypes

/// The origin of a request. Requests with equal origins can share a connection.
package struct Origin: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http, https

        var defaultPort: Int { self == .https ? 443 : 80 }

        /// Compares the cases themselves; by default, enumerations with raw values compare those, which are strings.
        package static func == (one: Scheme, other: Scheme) -> Bool {
            switch (one, other) {
            case (.http, .http), (.https, .https): true
            default: false
            }
        }
    }

    package let scheme: Scheme
    /// The host in lower case. An IPv6 address has no brackets.
    package let host: String
    package let port: Int

    /// Creates the origin of a request's scheme and authority (RFC 9110, section 4.3).
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``.
    package init(of request: HTTPRequest) throws(NetworkError) {
        guard let scheme = request.scheme.flatMap({ Scheme(rawValue: $0) ?? Scheme(rawValue: $0.lowercased()) }) else {
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

    /// The host and port as in a URL, always with a port.
    package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension NetworkError {
    /// Returns the error for a request with ``TransportRequest/requiresSecureTransport`` that would be sent in cleartext.
    ///
    /// - Parameter proxy: The proxy to which it would be sent; `nil` if it would be sent to another computer directly.
    package static func cleartext(to origin: Origin, through proxy: Proxy? = nil) -> NetworkError {
        let destination = proxy.map { "through the proxy \($0.authority)" } ?? "to another computer"
        let reason =
            "the request to \(origin.authority) must stay unreadable for others, and would be sent \(destination) over plain HTTP"
        let exception = proxy == nil ? "" : ", or exclude the host from the proxy, as with NO_PROXY"
        return .invalidRequest(NetworkFailure(reason, advice: "use https\(exception)"))
    }
}

extension Origin {
    /// Compares the port first, because it differs between origins on one host, and the text of the host last.
    package static func == (one: Origin, other: Origin) -> Bool {
        one.port == other.port && one.scheme == other.scheme && one.host == other.host
    }

    /// Hashes the host and port only, because hashing the scheme is slow and rarely makes a difference.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }
}
