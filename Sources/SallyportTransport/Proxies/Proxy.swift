import Foundation

/// A proxy for exchanges.
///
/// - `http://host:port`: requests to `http` URLs are sent in absolute form (RFC 9112, section 3.2.2). For `https` URLs the proxy opens a
///   tunnel with CONNECT (RFC 9110, section 9.3.6).
/// - `https://host:port`: the same over TLS, so that nobody else reads the credentials and the names of servers. The proxy's certificate is
///   checked like a server's certificate. Pins and client certificates are for servers only.
/// - `socks5://host:port`: SOCKS 5 (RFC 1928). The client resolves host names, as in curl.
/// - `socks5h://host:port`: SOCKS 5. The proxy resolves host names.
///
/// The URL may contain a percent-encoded user name and password: `http://user:pass%40word@host:port`. They are sent to the proxy with
/// Basic authentication (RFC 7617) or, for SOCKS 5, username/password authentication (RFC 1929), and never to a server. Descriptions do
/// not include them.
///
/// ```swift
/// configuration.proxy = .proxy(try Proxy("http://proxy.example.com:3128"))
/// ```
public struct Proxy: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case http
        case https
        case socks5(resolvesNames: Bool)
    }

    package struct Credentials: Sendable, Hashable {
        package let user: String
        package let password: String
    }

    package let kind: Kind
    /// The host in lower case. An IPv6 address has no brackets.
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    /// The authorities that are trusted for the certificate of an `https` proxy; `nil` for the authorities of the transport.
    public var trustRoots: TransportSecurity.TrustRoots?

    /// The environment variable that specifies the proxy, if one does.
    package var variable: String?

    /// The origin to connect to.
    package var server: Origin { Origin(scheme: .http, host: host, port: port) }

    /// The host and port as in a URL, without credentials.
    package var authority: String { server.authority }

    /// Parses a proxy's URL.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``, without the password, if the URL has no port, an unsupported scheme, a path, or
    ///   credentials that cannot be sent.
    public init(_ url: String) throws(NetworkError) {
        let parts = ProxyURL(url)
        kind = try parts.kind()
        (host, port) = try parts.hostAndPort()
        credentials = try parts.credentials(for: kind)
    }
}

extension Proxy.Kind {
    package var scheme: String {
        switch self {
        case .http: "http"
        case .https: "https"
        case .socks5(let resolvesNames): resolvesNames ? "socks5h" : "socks5"
        }
    }

    /// A Boolean value that indicates whether the proxy speaks HTTP, with or without TLS.
    package var isHTTP: Bool { self == .http || self == .https }
}

extension Proxy: CustomStringConvertible, CustomReflectable {
    /// The URL, with `***` instead of the user name and password.
    public var description: String {
        "\(kind.scheme)://\(credentials == nil ? "" : "***@")\(authority)"
    }

    /// A mirror of ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["url": description], displayStyle: .struct) }
}

extension Proxy.Credentials: CustomStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

    /// The value of `Proxy-Authorization` (RFC 7617), in UTF-8.
    package var basic: String { "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" }
}
