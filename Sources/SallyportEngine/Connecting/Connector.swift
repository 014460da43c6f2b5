import NIOCore
import NIOPosix
import NIOSSL
import SallyportTransport

/// Opens connections: resolves the host, connects (through a proxy's tunnel, if there is one) and performs the TLS
/// handshake, each step with its own timeout.
///
/// A class, so that the closures of each attempt capture a reference instead of a copy of the settings.
final class Connector: Sendable {
    private let configuration: TransportConfiguration
    private let addresses: HostAddresses
    private let tls: TLSContext
    /// The TLS settings for servers that require HTTP/1.1.
    private let http1TLS: TLSContext
    private let proxies: ProxyRules
    /// The TLS settings of connections to proxies; `nil` if there is no `https` proxy.
    private let proxyTLS: TLSContext?

    init(_ configuration: TransportConfiguration) {
        self.configuration = configuration
        addresses = HostAddresses(configuration)
        tls = TLSContext(configuration.security, offering: WireProtocol.offered(under: configuration.httpVersions))
        http1TLS = TLSContext(configuration.security, offering: [.http1])
        proxies = ProxyRules(configuration)
        proxyTLS = proxies.secureProxy.map { TLSContext(configuration.security.forProxy($0), offering: [.http1]) }
    }

    private var versions: HTTPVersionPolicy { configuration.httpVersions }

    /// Opens a connection that is ready for its first exchange.
    func open(_ attempt: ConnectionAttempt) -> EventLoopFuture<any Connection> {
        let (origin, eventLoop) = (attempt.origin, attempt.eventLoop)
        guard origin.scheme == .https else { return eventLoop.flatSubmit { self.resolve(attempt, with: nil) } }
        let tls = attempt.requiresHTTP1 ? http1TLS : tls
        if let tls = tls.loaded(for: origin.host) { return eventLoop.flatSubmit { self.resolve(attempt, with: tls) } }
        // The certificate files must be read first.
        return eventLoop.makeFutureWithTask { try tls.load(for: origin.host) }.flatMap { tls in
            self.resolve(attempt, with: tls)
        }
    }

    private func resolve(_ attempt: ConnectionAttempt, with tls: ClientTLS?) -> EventLoopFuture<any Connection> {
        let (origin, eventLoop) = (attempt.origin, attempt.eventLoop)
        let route: Route
        do {
            route = try Route(to: origin, through: proxies.proxy(for: origin), speaking: versions)
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        let (start, resolving) = (ContinuousClock.now, NIODeadline.now())
        let resolve: @Sendable (Origin) -> EventLoopFuture<ResolvedHost> = { [addresses] in
            addresses.resolve($0, on: eventLoop, limit: attempt.timeouts.resolve)
        }
        return route.resolvePeer(resolve).flatMap { addresses in
            route.handshake(limits: self.configuration.responses, on: eventLoop, resolve).flatMap { handshake in
                var facts = ConnectionFacts(openingStart: start, resolve: .since(resolving))
                if self.configuration.recordsConnectionDetails {
                    facts.details = ConnectionDetails(proxy: route.proxyDescription)
                }
                return self.connect(attempt, by: route, addresses, handshake, with: tls, facts)
            }
        }
    }

    private func connect(
        _ attempt: ConnectionAttempt,
        by route: Route,
        _ addresses: ResolvedHost,
        _ handshake: (any ProxyHandshake)?,
        with tls: ClientTLS?,
        _ facts: ConnectionFacts
    ) -> EventLoopFuture<any Connection> {
        let limit = attempt.timeouts.connect
        attempt.exchange.reach(.connect)
        let connecting = NIODeadline.now()
        var channel = connect(attempt, to: route.peer, addresses).flatMapErrorThrowing { error in
            let socket = self.configuration.unixSocketPath
            throw route.unreachable(
                NetworkError(connectingTo: route.peer, socket: socket, failed: error, attempt.timeouts)
            )
        }
        if let proxy = route.secureProxy {
            channel = channel.flatMap { channel in self.secure(channel, to: proxy, by: route, attempt) }
        }
        if let handshake {
            channel = channel.flatMap { channel in
                let deadline = limit.map { connecting + TimeAmount($0) }
                return ProxyTunnelHandler.open(on: channel, with: handshake, deadline: deadline, limit: limit)
            }
        }
        guard let tls else {
            return channel.flatMapThrowing { channel in
                let facts = facts.connected(channel, since: connecting)
                return try self.makeConnection(attempt, channel, WireProtocol.withoutTLS(under: self.versions), facts)
            }
        }
        return channel.flatMap { channel in
            let facts = facts.connected(channel, since: connecting)
            attempt.exchange.reach(.tls)
            let name = route.secureProxy.map { _ in Self.serverTLSName }
            return self.secure(attempt, channel, with: tls, named: name, facts)
                .flatMapErrorThrowing { error in throw route.throughProxy(error) }
                .flatMapThrowing { wire, facts in try self.makeConnection(attempt, channel, wire, facts) }
        }
    }

    /// Connects to a host: directly if it has one address, and otherwise with Happy Eyeballs (RFC 8305).
    private func connect(
        _ attempt: ConnectionAttempt,
        to peer: Origin,
        _ addresses: ResolvedHost
    ) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: attempt.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try attempt.register(channel)
                    try channel.syncOptions?.prepareForConnection(isSecure: attempt.origin.scheme == .https)
                }
            }
            .connectTimeout(attempt.timeouts.connect.map { TimeAmount($0) } ?? .hours(1))
        if let address = addresses.only { return bootstrap.connect(to: address) }
        return
            bootstrap
            .resolver(ResolvedAddresses(host: addresses, eventLoop: attempt.eventLoop))
            .connect(host: peer.host, port: peer.port)
    }

    /// Performs the TLS handshake with a proxy.
    private func secure(
        _ channel: any Channel,
        to proxy: Proxy,
        by route: Route,
        _ attempt: ConnectionAttempt
    ) -> EventLoopFuture<any Channel> {
        let eventLoop = channel.eventLoop
        let limit = attempt.timeouts.tls.map { TimeAmount($0) }
        let loaded: EventLoopFuture<ClientTLS>
        if let tls = proxyTLS?.loaded(for: proxy.host) {
            loaded = eventLoop.makeSucceededFuture(tls)
        } else {
            loaded = eventLoop.makeFutureWithTask { [context = proxyTLS ?? tls] in try context.load(for: proxy.host) }
        }
        return loaded.flatMap { tls in
            TLSHandshake.perform(on: channel, server: TLSServerName(proxy.host), with: tls, limit: limit)
        }
        .map { _ in channel }
        .flatMapErrorThrowing { error in
            channel.close(mode: .all, promise: nil)
            throw route.unreachable(error)
        }
    }

    /// The name of the TLS handler for a server behind an `https` proxy. The proxy's own handler precedes it.
    private static let serverTLSName = "TLS with the server"

    private func secure(
        _ attempt: ConnectionAttempt,
        _ channel: any Channel,
        with tls: ClientTLS,
        named name: String?,
        _ facts: ConnectionFacts
    ) -> EventLoopFuture<(WireProtocol, ConnectionFacts)> {
        let securing = NIODeadline.now()
        let limit = attempt.timeouts.tls.map { TimeAmount($0) }
        let record = facts.hasDetails ? HandshakeRecord() : nil
        return
            TLSHandshake.perform(
                on: channel,
                server: TLSServerName(attempt.origin.host),
                with: tls,
                limit: limit,
                name: name,
                recordingTo: record
            )
            .flatMapThrowing { chosen in
                var facts = facts
                facts.tls = .since(securing)
                record?.add(to: &facts.details)
                facts.tlsVersion = try? channel.pipeline.syncOperations.tlsVersion(named: name)?.name
                return (try WireProtocol(chosenBy: attempt.origin, chosen, under: self.versions), facts)
            }
            .flatMapErrorThrowing { error in
                channel.close(mode: .all, promise: nil)
                throw error
            }
    }

    /// Creates the connection on a channel that is ready for HTTP, and starts to read.
    private func makeConnection(
        _ attempt: ConnectionAttempt,
        _ channel: any Channel,
        _ wire: WireProtocol,
        _ facts: ConnectionFacts
    ) throws -> any Connection {
        let origin = attempt.origin
        let setup = ConnectionSetup(
            channel: channel,
            origin: origin,
            owner: attempt.owner,
            watch: attempt.loop.watch.value,
            delivery: attempt.loop.delivery.value,
            configuration: configuration,
            facts: facts
        )
        do {
            if let observer = configuration.observer {
                try TrafficObserverHandler.install(on: channel, to: origin, for: observer)
            }
            let connection = try wire.makeConnection(setup)
            try channel.beginReading()
            return connection
        } catch  where !channel.isActive {
            let reason = "\(origin.host) closed the connection before a request could be sent"
            throw NetworkError.connectionLost(NetworkFailure(reason, phase: .connect, underlying: error))
        }
    }
}

extension NIOSynchronousChannelOptions {
    /// Sets the options of a new channel.
    ///
    /// The options of a bootstrap would be stored for each connection, and each would be set through a future.
    fileprivate func prepareForConnection(isSecure: Bool) throws {
        try setOption(.autoRead, value: false)
        try setOption(.maxMessagesPerRead, value: 2)
        // Each channel keeps buffers of the size that its last reads needed, even while it is idle. TLS needs as much memory again. If the
        // first response is larger than the buffer, it needs one more read.
        let maximum = ReadCoalescing.maximumRead(isSecure: isSecure)
        try setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 1024, maximum: maximum / 2)
        )
    }
}

extension ConnectionFacts {
    fileprivate func connected(_ channel: any Channel, since start: NIODeadline) -> ConnectionFacts {
        var facts = self
        facts.connect = .since(start)
        facts.remoteAddress = channel.remoteAddress?.numeric
        if facts.hasDetails { facts.details?.localAddress = channel.localAddress?.numeric }
        return facts
    }
}

extension Channel {
    /// Starts to read.
    ///
    /// A channel does not read before it has its handlers, so that no early bytes from the server are lost.
    func beginReading() throws {
        try syncOptions?.setOption(.autoRead, value: true)
    }
}

extension Duration {
    static func since(_ start: NIODeadline) -> Duration { Duration(.now() - start) }
}

extension SocketAddress {
    fileprivate var numeric: String? {
        if case .unixDomainSocket = self { return pathname.map { "unix:\($0)" } }
        guard let ipAddress, let port else { return nil }
        return self.protocol == .inet6 ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Returns the version of TLS of a handler.
    ///
    /// - Parameter name: The name of the handler; `nil` if it is the only one.
    fileprivate func tlsVersion(named name: String?) throws -> TLSVersion? {
        guard let name else { return try nioSSL_tlsVersion() }
        return (try context(name: name).handler as? NIOSSLHandler)?.tlsVersion
    }
}

extension TransportSecurity {
    /// Returns the settings for the connection to a proxy, without the pins and the client certificates of servers.
    fileprivate func forProxy(_ proxy: Proxy) -> TransportSecurity {
        var security = TransportSecurity(trustRoots: proxy.trustRoots ?? trustRoots, minimumVersion: minimumVersion)
        security.keyLogFile = keyLogFile
        return security
    }
}

extension TLSVersion {
    fileprivate var name: String {
        switch self {
        case .tlsv1: "TLSv1"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}
