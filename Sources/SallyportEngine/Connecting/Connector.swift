import NIOCore
import NIOPosix
import NIOSSL
import SallyportTransport

/// Opens connections: resolve, connect (and have a proxy open a tunnel), secure, one after the other, each with its own
/// limit of time.
struct Connector: Sendable {
    typealias Reach = @Sendable (ExchangePhase) -> Void
    typealias MakeConnection = @Sendable (any Channel, WireProtocol, ConnectionFacts) throws -> any Connection

    typealias Register = @Sendable (any Channel) throws -> Void

    private let addresses: HostAddresses
    private let tls: TLSContext
    private let versions: HTTPVersionPolicy
    private let proxies: ProxyRules
    private let responses: ResponseLimits
    private let observer: (any TransportObserver)?

    init(_ configuration: TransportConfiguration) {
        addresses = HostAddresses(overrides: configuration.addressOverrides)
        tls = TLSContext(configuration.security, offering: WireProtocol.offered(under: configuration.httpVersions))
        versions = configuration.httpVersions
        proxies = ProxyRules(configuration.proxy)
        responses = configuration.responses
        observer = configuration.observer
    }

    /// Opens a connection that is ready for its first exchange.
    ///
    /// - Parameters:
    ///   - timeouts: Those of the exchange for which the connection is opened.
    ///   - reach: Told of each phase.
    ///   - register: Told of each channel before it connects.
    ///   - makeConnection: Called on the event loop.
    func connect(
        to origin: Origin,
        on eventLoop: any EventLoop,
        timeouts: Timeouts,
        reach: @escaping Reach,
        register: @escaping Register,
        makeConnection: @escaping MakeConnection
    ) async throws -> any Connection {
        let tls = origin.scheme == .https ? try tls.get(for: origin.host) : nil
        let route = try Route(to: origin, through: proxies.proxy(for: origin), speaking: versions)
        let resolving = NIODeadline.now()
        let resolve = { origin in try await self.addresses.of(origin, on: eventLoop, limit: timeouts.resolve) }
        let addresses = try await route.resolvePeer(resolve)
        let dialogue = try await route.dialogue(limits: responses, resolve)
        let facts = Locked(ConnectionFacts(resolve: .since(resolving)))

        reach(.connect)
        let connecting = NIODeadline.now()
        return try await bootstrap(on: eventLoop, addresses, limit: timeouts.connect, register)
            .connect(host: route.peer.host, port: route.peer.port)
            .flatMapErrorThrowing { error in
                throw route.unreachable(NetworkError(connectingTo: route.peer, failed: error, timeouts))
            }
            .flatMap { channel in
                guard let dialogue else { return channel.eventLoop.makeSucceededFuture(channel) }
                let deadline = timeouts.connect.map { connecting + TimeAmount($0) }
                return Tunnel.open(on: channel, by: dialogue, deadline: deadline, limit: timeouts.connect)
            }
            .flatMap { channel in
                facts.withLock {
                    $0.connect = .since(connecting)
                    $0.remoteAddress = channel.remoteAddress?.numeric
                }
                guard let tls else {
                    return channel.eventLoop.makeSucceededFuture((channel, WireProtocol.withoutTLS(under: versions)))
                }
                reach(.tls)
                return secure(channel, for: origin, with: tls, limit: timeouts.tls, noting: facts)
                    .flatMapErrorThrowing { error in throw route.beyond(error) }
            }
            .flatMapThrowing { channel, wire in
                do {
                    if let observer { try ObservedTraffic.install(on: channel, to: origin, for: observer) }
                    let connection = try makeConnection(channel, wire, facts.withLock { $0 })
                    try channel.beginReading()
                    return connection
                } catch  where !channel.isActive {
                    let reason = "\(origin.host) closed the connection before a request could be sent"
                    throw NetworkError.connectionLost(NetworkFailure(reason, phase: .connect, underlying: error))
                }
            }
            .get()
    }

    private func bootstrap(
        on eventLoop: any EventLoop,
        _ addresses: ResolvedHost,
        limit: Duration?,
        _ register: @escaping Register
    ) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .resolver(ResolvedAddresses(host: addresses, eventLoop: eventLoop))
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try register(channel) } }
            .connectTimeout(limit.map { TimeAmount($0) } ?? .hours(1))
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            // Writable again once the system has taken everything: the memory of what was written is then free.
            .channelOption(.writeBufferWaterMark, value: .init(low: 1, high: 64 << 10))
            .channelOption(.maxMessagesPerRead, value: 2)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 16_384, maximum: 262_144)
            )
    }

    private func secure(
        _ channel: any Channel,
        for origin: Origin,
        with tls: ClientTLS,
        limit: Duration?,
        noting facts: Locked<ConnectionFacts>
    ) -> EventLoopFuture<(any Channel, WireProtocol)> {
        let securing = NIODeadline.now()
        let limit = limit.map { TimeAmount($0) }
        return TLSHandshake.perform(on: channel, server: ServerName(origin.host), with: tls, limit: limit)
            .flatMapThrowing { chosen in
                facts.withLock {
                    $0.tls = .since(securing)
                    $0.tlsVersion = try? channel.pipeline.syncOperations.nioSSL_tlsVersion()?.name
                }
                return (channel, try WireProtocol(chosenBy: origin, chosen, under: versions))
            }
            .flatMapErrorThrowing { error in
                channel.close(mode: .all, promise: nil)
                throw error
            }
    }
}

extension Channel {
    /// Nothing is read before there are handlers for it, so that a server that speaks first is heard.
    func beginReading() throws {
        try syncOptions?.setOption(.autoRead, value: true)
    }
}

extension Duration {
    static func since(_ start: NIODeadline) -> Duration { Duration(.now() - start) }
}

extension SocketAddress {
    fileprivate var numeric: String? {
        guard let ipAddress, let port else { return nil }
        return self.protocol == .inet6 ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
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
