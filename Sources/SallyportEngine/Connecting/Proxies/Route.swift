import NIOCore
import SallyportTransport

/// The route to a server: direct, or through a proxy.
struct Route: Sendable {
    private let origin: Origin
    private let proxy: Proxy?

    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a version of HTTP or a host that the proxy does not support.
    init(to origin: Origin, through proxy: Proxy?, speaking versions: HTTPVersionPolicy) throws(NetworkError) {
        self.origin = origin
        self.proxy = proxy
        if proxy?.kind.isHTTP == true, origin.scheme == .http, versions == .http2 {
            throw .invalidRequest(
                NetworkFailure(
                    "HTTP/2 without TLS cannot be used through the proxy \(peer.authority), which uses HTTP/1.1",
                    advice: SettingAdvice.http1AtProxy.rawValue
                )
            )
        }
        if case .socks5? = proxy?.kind, origin.host.utf8.count > 255 {
            throw .invalidRequest("the host is longer than the 255 bytes that SOCKS 5 allows")
        }
    }

    /// The peer of the TCP connection: the proxy, or else the server.
    var peer: Origin { proxy?.server ?? origin }

    /// The URL of the proxy for display, if there is one.
    var proxyDescription: String? { proxy?.description }

    /// The proxy, if the connection to it requires TLS.
    var secureProxy: Proxy? { proxy?.kind == .https ? proxy : nil }

    /// Returns the addresses of the peer.
    func resolvePeer(_ resolve: (Origin) -> EventLoopFuture<ResolvedHost>) -> EventLoopFuture<ResolvedHost> {
        let addresses = resolve(peer)
        return proxy == nil ? addresses : addresses.flatMapErrorThrowing { throw unreachable($0) }
    }

    /// Returns the handshake that opens a tunnel through the proxy, or `nil` if none is needed.
    ///
    /// - Parameter resolve: Returns the addresses of a server, for proxies that do not resolve names.
    func handshake(
        limits: ResponseLimits,
        on eventLoop: any EventLoop,
        _ resolve: (Origin) -> EventLoopFuture<ResolvedHost>
    ) -> EventLoopFuture<(any ProxyHandshake)?> {
        guard let proxy else { return eventLoop.makeSucceededFuture(nil) }
        switch proxy.kind {
        case .http where origin.scheme == .http, .https where origin.scheme == .http:
            return eventLoop.makeSucceededFuture(nil)
        case .http, .https:
            return eventLoop.makeSucceededFuture(HTTPConnectHandshake(proxy: proxy, origin: origin, limits: limits))
        case .socks5(resolvesNames: true):
            let handshake = SOCKSHandshake(proxy: proxy, destination: origin.host, port: origin.port)
            return eventLoop.makeSucceededFuture(handshake)
        case .socks5(resolvesNames: false):
            return resolve(origin).map { [origin] addresses in
                // The request holds a single address, and the proxy may not support IPv6.
                let address = (addresses.ipv4 + addresses.ipv6).first?.ipAddress ?? origin.host
                return SOCKSHandshake(proxy: proxy, destination: address, port: origin.port)
            }
        }
    }

    /// Returns an error of the connection to the peer, with the name of the proxy and advice for it if the peer is one.
    func unreachable(_ error: any Error) -> any Error {
        guard let proxy, var error = error as? NetworkError else { return error }
        let variable = proxy.variable.map { " of \($0)" } ?? ""
        error.failure.reason = "the proxy \(proxy.authority)\(variable) cannot be reached: \(error.failure.reason)"
        switch error {
        case .connectionFailed, .hostNotFound:
            if proxy.variable != nil {
                error.failure.advice = SettingAdvice.environmentProxy.rawValue
            } else if case .connectionFailed = error {
                error.failure.advice = "check that the proxy is running and the port is right"
            }
        case .certificateRefused:
            let trusting: [SettingAdvice] = [.trustServer, .trustAuthority, .trustMissingAuthority]
            error.failure.advice = trusting.reduce(error.failure.advice) { advice, server in
                advice?.replacing(server.rawValue, with: SettingAdvice.trustProxy.rawValue)
            }
        case .tlsFailed where error.failure.underlying.flatMap(TLSAlert.init)?.advice != nil:
            // Client certificates are for servers only.
            error.failure.advice = nil
        default: break
        }
        return error
    }

    /// Returns an error of the connection to the server, with the name of the proxy if there is one.
    func throughProxy(_ error: any Error) -> any Error {
        guard let proxy, var error = error as? NetworkError else { return error }
        error.failure.reason += ", through the proxy \(proxy.authority)"
        return error
    }
}
