import NIOCore
import SallyportTransport

/// The way to a server: straight, or through a proxy.
struct Route: Sendable {
    private let origin: Origin
    private let proxy: Proxy?

    /// - Throws: ``NetworkError/invalidRequest(_:)`` for what the proxy cannot carry.
    init(to origin: Origin, through proxy: Proxy?, speaking versions: HTTPVersionPolicy) throws(NetworkError) {
        self.origin = origin
        self.proxy = proxy
        if case .http? = proxy?.kind, origin.scheme == .http, versions == .http2 {
            throw .invalidRequest(
                NetworkFailure(
                    "HTTP/2 without TLS cannot be spoken through the proxy \(peer.authority), which speaks HTTP/1.1",
                    advice: SettingAdvice.http1AtProxy.rawValue
                )
            )
        }
        if case .socks5? = proxy?.kind, origin.host.utf8.count > 255 {
            throw .invalidRequest("the host is longer than the 255 bytes that SOCKS 5 can carry")
        }
    }

    /// Whom to connect to.
    var peer: Origin { proxy?.server ?? origin }

    /// The addresses of the peer.
    func resolvePeer(_ resolve: (Origin) -> EventLoopFuture<ResolvedHost>) -> EventLoopFuture<ResolvedHost> {
        let addresses = resolve(peer)
        return proxy == nil ? addresses : addresses.flatMapErrorThrowing { throw unreachable($0) }
    }

    /// What has to be said to the proxy before it passes on what is sent; `nil` where there is nothing to say.
    ///
    /// - Parameter resolve: Finds the addresses of a server, for proxies that are told an address.
    func dialogue(
        limits: ResponseLimits,
        on eventLoop: any EventLoop,
        _ resolve: (Origin) -> EventLoopFuture<ResolvedHost>
    ) -> EventLoopFuture<(any ProxyDialogue)?> {
        guard let proxy else { return eventLoop.makeSucceededFuture(nil) }
        switch proxy.kind {
        case .http where origin.scheme == .http:
            return eventLoop.makeSucceededFuture(nil)
        case .http:
            return eventLoop.makeSucceededFuture(ConnectDialogue(proxy: proxy, origin: origin, limits: limits))
        case .socks5(resolvesNames: true):
            let dialogue = SocksDialogue(proxy: proxy, destination: origin.host, port: origin.port)
            return eventLoop.makeSucceededFuture(dialogue)
        case .socks5(resolvesNames: false):
            return resolve(origin).map { [origin] addresses in
                // Only one can be named. The proxy may well have no IPv6.
                let address = (addresses.ipv4 + addresses.ipv6).first?.ipAddress ?? origin.host
                return SocksDialogue(proxy: proxy, destination: address, port: origin.port)
            }
        }
    }

    /// An error on the way to the peer, which says so where that is a proxy.
    func unreachable(_ error: any Error) -> any Error {
        naming(error) { reason, place in "the proxy \(place) cannot be reached: \(reason)" }
    }

    /// An error beyond the proxy, which says through which.
    func beyond(_ error: any Error) -> any Error {
        naming(error) { reason, place in "\(reason), through the proxy \(place)" }
    }

    private func naming(_ error: any Error, _ change: (String, String) -> String) -> any Error {
        guard let proxy, var error = error as? NetworkError else { return error }
        error.failure.reason = change(error.failure.reason, proxy.place)
        return error
    }
}
