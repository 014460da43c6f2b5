import Foundation

/// A proxy: who carries exchanges to servers that are not reached directly.
///
/// - `http://host:port`: requests to `http` URLs are sent to it whole (RFC 9112, section 3.2.2), for `https` URLs it opens
///   a tunnel with CONNECT (RFC 9110, section 9.3.6).
/// - `socks5://host:port`: SOCKS 5 (RFC 1928); hosts' names are resolved on this side, as curl does.
/// - `socks5h://host:port`: the same, and the proxy resolves the names.
///
/// A user and a password may stand before the host, percent-encoded: `http://user:pass%40word@host:port`. They are sent
/// to the proxy as Basic (RFC 7617) or as RFC 1929 has it, and never to a server. A description does not show them.
///
/// ```swift
/// configuration.proxy = .proxy(try Proxy("http://proxy.example.com:3128"))
/// ```
public struct Proxy: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case http
        case socks5(resolvesNames: Bool)
    }

    package struct Credentials: Sendable, Hashable {
        package let user: String
        package let password: String
    }

    package let kind: Kind
    /// Lower-case; an IPv6 address without its brackets.
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    /// Whom to connect to.
    package var server: Origin { Origin(scheme: .http, host: host, port: port) }

    /// The host and port, as they stand in errors.
    package var place: String { server.authority }

    /// Reads a proxy's URL.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` saying what is wrong with it, without the password: no port, a scheme
    ///   that is not spoken, a path, or credentials that cannot be sent.
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
        case .socks5(let resolvesNames): resolvesNames ? "socks5h" : "socks5"
        }
    }
}

extension Proxy: CustomStringConvertible, CustomReflectable {
    /// The URL, with `***` for the user and password.
    public var description: String {
        "\(kind.scheme)://\(credentials == nil ? "" : "***@")\(place)"
    }

    /// The same as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["url": description], displayStyle: .struct) }
}

extension Proxy.Credentials: CustomStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

    /// The value of `Proxy-Authorization` (RFC 7617), in UTF-8.
    package var basic: String { "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" }
}
