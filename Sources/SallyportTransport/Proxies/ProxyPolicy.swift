import Foundation

/// The rules for the use of proxies.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.proxy = .proxy(try Proxy("socks5h://127.0.0.1:1080"), except: ["localhost", ".example.com", "10.0.0.0/8"])
/// ```
///
/// The engine applies the policy. `URLSession` uses the system's settings, and refuses every call with a policy other than ``direct``.
///
/// A request with its own `Proxy-Authorization` header is sent only to an HTTP proxy without a tunnel. Otherwise it is refused, as the
/// server would receive the header.
public enum ProxyPolicy: Sendable, Hashable {
    /// No proxy.
    case direct

    /// A proxy for all servers except some, which are listed as in `NO_PROXY` (see ``environment``). Invalid entries match nothing.
    case proxy(Proxy, except: [String] = [])

    /// The proxies in the environment of the process when the transport is created, by curl's rules.
    ///
    /// `http_proxy` applies to `http` URLs (in lower case only, as CGI servers set `HTTP_PROXY` from a request header), `https_proxy` or
    /// `HTTPS_PROXY` to `https` URLs, and `all_proxy` or `ALL_PROXY` to others. Empty variables are ignored. A value without a scheme is an
    /// HTTP proxy. The port is required. A call fails if the value of the proxy that it needs is invalid.
    ///
    /// `no_proxy` or `NO_PROXY` lists exceptions, separated by commas, spaces or tabs: a domain including its subdomains, with or without a
    /// leading dot; an address; a network such as `192.168.0.0/16` or `fe80::/10`; or only `*` for all servers. Names are not
    /// case-sensitive, and addresses are compared by value. Unlike in curl, a port may follow, and an IPv6 address may be in brackets:
    /// `example.com:8080`, `[::1]:8080`.
    case environment

    /// The proxies in the environment as with ``environment``, with a list of exceptions that replaces `no_proxy` and `NO_PROXY`.
    case environmentExcept([String])
}

/// The evaluated form of a proxy policy.
package struct ProxyRules: Sendable {
    private let http: Result<Proxy?, NetworkError>
    private let https: Result<Proxy?, NetworkError>
    private let exceptions: ProxyExceptions

    /// Creates the rules of a configuration. No proxy leads to a Unix domain socket.
    package init(_ configuration: TransportConfiguration) {
        self.init(configuration.unixSocketPath == nil ? configuration.proxy : .direct)
    }

    /// Creates the rules of a policy.
    ///
    /// - Parameter variable: Returns the value of an environment variable. It is called only for ``ProxyPolicy/environment`` and
    ///   ``ProxyPolicy/environmentExcept(_:)``.
    package init(
        _ policy: ProxyPolicy,
        variable: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) {
        switch policy {
        case .direct:
            (http, https, exceptions) = (.success(nil), .success(nil), ProxyExceptions(""))
        case .proxy(let proxy, let names):
            (http, https) = (.success(proxy), .success(proxy))
            exceptions = ProxyExceptions(names.joined(separator: ","))
        case .environment:
            (http, https) = Self.proxies(variable)
            exceptions = ProxyExceptions(Self.first(of: ["no_proxy", "NO_PROXY"], variable)?.value ?? "")
        case .environmentExcept(let names):
            (http, https) = Self.proxies(variable)
            exceptions = ProxyExceptions(names.joined(separator: ","))
        }
    }

    /// Returns the proxy for a server; `nil` if none is used.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``, which states the environment variable with the invalid value.
    package func proxy(for origin: Origin) throws(NetworkError) -> Proxy? {
        let proxy = origin.scheme == .https ? https : http
        if case .success(nil) = proxy { return nil }
        return exceptions.contains(origin) ? nil : try proxy.get()
    }

    /// Returns the proxies for `http` and `https` URLs.
    private static func proxies(
        _ variable: (String) -> String?
    ) -> (http: Result<Proxy?, NetworkError>, https: Result<Proxy?, NetworkError>) {
        (
            proxy(in: ["http_proxy", "all_proxy", "ALL_PROXY"], variable),
            proxy(in: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], variable)
        )
    }

    private static func proxy(in names: [String], _ variable: (String) -> String?) -> Result<Proxy?, NetworkError> {
        guard let (name, value) = first(of: names, variable) else { return .success(nil) }
        do throws(NetworkError) {
            var proxy = try Proxy(value.contains("://") ? value : "http://" + value)
            proxy.variable = name
            return .success(proxy)
        } catch {
            var named = error
            named.failure.reason = "the environment variable \(name) cannot be used: \(error.failure.reason)"
            return .failure(named)
        }
    }

    /// A proxy of the rules that requires TLS, if there is one. All have the same ``Proxy/trustRoots``.
    package var secureProxy: Proxy? {
        [http, https].lazy.compactMap { try? $0.get() }.first { $0.kind == .https }
    }

    private static func first(of names: [String], _ variable: (String) -> String?) -> (name: String, value: String)? {
        for name in names {
            if let value = variable(name), !value.isEmpty { return (name, value) }
        }
        return nil
    }
}
