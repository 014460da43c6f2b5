/// Which exchanges go through a proxy.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.proxy = .proxy(try Proxy("socks5h://127.0.0.1:1080"), except: ["localhost", ".example.com", "10.0.0.0/8"])
/// ```
///
/// The engine follows it. `URLSession` follows the settings of the system, and refuses every call with another policy
/// than ``direct``.
///
/// A request with `Proxy-Authorization` of its own goes out only where it goes to an HTTP proxy as it is: in a tunnel, or
/// without a proxy, the server would be told. It is refused there.
public enum ProxyPolicy: Sendable, Hashable {
    /// None.
    case direct

    /// All but those to some servers, which are named as in `NO_PROXY` (see ``environment``): what is no name, address or
    /// network matches nothing.
    case proxy(Proxy, except: [String] = [])

    /// Those that the environment of the process says, by curl's rules, as it is when the transport is made.
    ///
    /// `http_proxy` (in lower case only, as servers set the other from a request's header) for `http` URLs, `https_proxy`
    /// or `HTTPS_PROXY` for `https`, `all_proxy` or `ALL_PROXY` for those that are left; empty ones do not count. A
    /// value without a scheme is an HTTP proxy, and the port must be there. What is broken fails the calls that need it.
    ///
    /// `no_proxy` or `NO_PROXY` names exceptions, with commas or blanks between them: a domain with all beneath it, with
    /// or without a leading dot; an address; a network such as `192.168.0.0/16` or `fe80::/10`; or `*` alone for all.
    /// Names are compared in any case and addresses by value. More than in curl, a port may follow, and an IPv6 address
    /// may stand in brackets: `example.com:8080`, `[::1]:8080`.
    case environment
}
