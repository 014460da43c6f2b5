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
    ) -> EventLoopFuture<any Connection> {
        let opening = Opening(
            origin: origin,
            eventLoop: eventLoop,
            timeouts: timeouts,
            observer: observer,
            reach: reach,
            register: register,
            makeConnection: makeConnection
        )
        guard origin.scheme == .https else { return eventLoop.flatSubmit { open(opening, with: nil) } }
        if let tls = tls.loaded(for: origin.host) { return eventLoop.flatSubmit { open(opening, with: tls) } }
        return eventLoop.makeFutureWithTask { try tls.get(for: origin.host) }.flatMap { open(opening, with: $0) }
    }

    private func open(_ opening: Opening, with tls: ClientTLS?) -> EventLoopFuture<any Connection> {
        let (origin, eventLoop) = (opening.origin, opening.eventLoop)
        let route: Route
        do {
            route = try Route(to: origin, through: proxies.proxy(for: origin), speaking: versions)
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        let resolving = NIODeadline.now()
        let resolve: @Sendable (Origin) -> EventLoopFuture<ResolvedHost> = {
            addresses.of($0, on: eventLoop, limit: opening.timeouts.resolve)
        }
        return route.resolvePeer(resolve).flatMap { addresses in
            route.dialogue(limits: responses, on: eventLoop, resolve).flatMap { dialogue in
                let facts = ConnectionFacts(resolve: .since(resolving))
                return connect(opening, by: route, addresses, dialogue, with: tls, facts)
            }
        }
    }

    private func connect(
        _ opening: Opening,
        by route: Route,
        _ addresses: ResolvedHost,
        _ dialogue: (any ProxyDialogue)?,
        with tls: ClientTLS?,
        _ facts: ConnectionFacts
    ) -> EventLoopFuture<any Connection> {
        let limit = opening.timeouts.connect
        opening.reach(.connect)
        let connecting = NIODeadline.now()
        var channel = connect(opening, to: route.peer, addresses).flatMapErrorThrowing { error in
            throw route.unreachable(NetworkError(connectingTo: route.peer, failed: error, opening.timeouts))
        }
        if let dialogue {
            channel = channel.flatMap { channel in
                let deadline = limit.map { connecting + TimeAmount($0) }
                return Tunnel.open(on: channel, by: dialogue, deadline: deadline, limit: limit)
            }
        }
        guard let tls else {
            return channel.flatMapThrowing { channel in
                let facts = facts.connected(channel, since: connecting)
                return try opening.finish(channel, WireProtocol.withoutTLS(under: versions), facts)
            }
        }
        return channel.flatMap { channel in
            let facts = facts.connected(channel, since: connecting)
            opening.reach(.tls)
            return secure(channel, for: opening, with: tls, facts)
                .flatMapErrorThrowing { error in throw route.beyond(error) }
                .flatMapThrowing { wire, facts in try opening.finish(channel, wire, facts) }
        }
    }

    /// Connects to the one address of a host at once, and to one of several by Happy Eyeballs (RFC 8305).
    private func connect(
        _ opening: Opening,
        to peer: Origin,
        _ addresses: ResolvedHost
    ) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: opening.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try opening.register(channel)
                    try channel.syncOptions?.prepareForConnection()
                }
            }
            .connectTimeout(opening.timeouts.connect.map { TimeAmount($0) } ?? .hours(1))
        if let address = addresses.only { return bootstrap.connect(to: address) }
        return
            bootstrap
            .resolver(ResolvedAddresses(host: addresses, eventLoop: opening.eventLoop))
            .connect(host: peer.host, port: peer.port)
    }

    private func secure(
        _ channel: any Channel,
        for opening: Opening,
        with tls: ClientTLS,
        _ facts: ConnectionFacts
    ) -> EventLoopFuture<(WireProtocol, ConnectionFacts)> {
        let securing = NIODeadline.now()
        let limit = opening.timeouts.tls.map { TimeAmount($0) }
        return TLSHandshake.perform(on: channel, server: ServerName(opening.origin.host), with: tls, limit: limit)
            .flatMapThrowing { chosen in
                var facts = facts
                facts.tls = .since(securing)
                facts.tlsVersion = try? channel.pipeline.syncOperations.nioSSL_tlsVersion()?.name
                return (try WireProtocol(chosenBy: opening.origin, chosen, under: versions), facts)
            }
            .flatMapErrorThrowing { error in
                channel.close(mode: .all, promise: nil)
                throw error
            }
    }
}

/// What a connection is opened for.
private struct Opening: Sendable {
    let origin: Origin
    let eventLoop: any EventLoop
    let timeouts: Timeouts
    let observer: (any TransportObserver)?
    let reach: Connector.Reach
    let register: Connector.Register
    let makeConnection: Connector.MakeConnection

    /// Makes a connection of a channel on which HTTP can be spoken.
    func finish(_ channel: any Channel, _ wire: WireProtocol, _ facts: ConnectionFacts) throws -> any Connection {
        do {
            if let observer { try ObservedTraffic.install(on: channel, to: origin, for: observer) }
            let connection = try makeConnection(channel, wire, facts)
            try channel.beginReading()
            return connection
        } catch  where !channel.isActive {
            let reason = "\(origin.host) closed the connection before a request could be sent"
            throw NetworkError.connectionLost(NetworkFailure(reason, phase: .connect, underlying: error))
        }
    }
}

extension NIOSynchronousChannelOptions {
    /// A bootstrap would keep them for each connection, and set each by way of a future.
    fileprivate func prepareForConnection() throws {
        try setOption(.autoRead, value: false)
        try setOption(.maxMessagesPerRead, value: 2)
        // Each channel keeps a buffer of the size that its last reads had a use for, also while it is idle.
        try setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 2048, maximum: 262_144)
        )
    }
}

extension ConnectionFacts {
    fileprivate func connected(_ channel: any Channel, since start: NIODeadline) -> ConnectionFacts {
        var facts = self
        facts.connect = .since(start)
        facts.remoteAddress = channel.remoteAddress?.numeric
        return facts
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
