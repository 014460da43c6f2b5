import NIOCore
import NIOPosix
import NIOSSL
import SallyportTransport

/// Opens connections: resolve, connect, secure, one after the other, each with its own limit of time.
struct Connector: Sendable {
    typealias Reach = @Sendable (ExchangePhase) -> Void
    typealias MakeConnection = @Sendable (any Channel, ConnectionFacts) throws -> any Connection

    let configuration: TransportConfiguration
    let tls: TLSContext

    init(_ configuration: TransportConfiguration) {
        self.configuration = configuration
        tls = TLSContext(configuration.security)
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
        register: @escaping @Sendable (any Channel) throws -> Void,
        makeConnection: @escaping MakeConnection
    ) async throws -> any Connection {
        let tls = origin.scheme == .https ? try tls.get() : nil
        reach(.resolve)
        let resolving = NIODeadline.now()
        let addresses = try await addresses(of: origin, on: eventLoop, limit: timeouts.resolve)
        let facts = Locked(ConnectionFacts(resolve: .since(resolving)))

        reach(.connect)
        let connecting = NIODeadline.now()
        let bootstrap = ClientBootstrap(group: eventLoop)
            .resolver(ResolvedAddresses(host: addresses, eventLoop: eventLoop))
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try register(channel) } }
            .connectTimeout(timeouts.connect.map { TimeAmount($0) } ?? .hours(1))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 16_384, maximum: 262_144))
        return try await bootstrap.connect(host: origin.host, port: origin.port)
            .flatMapErrorThrowing { error in throw NetworkError(connectingTo: origin, failed: error, timeouts) }
            .flatMap { channel in
                facts.withLock {
                    $0.connect = .since(connecting)
                    $0.remoteAddress = channel.remoteAddress?.numeric
                }
                guard let tls else { return channel.eventLoop.makeSucceededFuture(channel) }
                reach(.tls)
                let securing = NIODeadline.now()
                return TLSHandshake.perform(on: channel, host: origin.host, context: tls, limit: timeouts.tls.map { TimeAmount($0) })
                    .map {
                        facts.withLock {
                            $0.tls = .since(securing)
                            $0.tlsVersion = try? channel.pipeline.syncOperations.nioSSL_tlsVersion()?.name
                        }
                        return channel
                    }
                    .closing(channel)
            }
            .flatMapThrowing { channel in
                try makeConnection(channel, facts.withLock { $0 })
            }
            .get()
    }

    private func addresses(of origin: Origin, on eventLoop: any EventLoop, limit: Duration?) async throws -> ResolvedHost {
        if let override = configuration.addressOverrides.first(where: { $0.host.lowercased() == origin.host && $0.port == origin.port }) {
            return try ResolvedHost(literals: override.addresses, port: origin.port)
        }
        if (try? SocketAddress(ipAddress: origin.host, port: origin.port)) != nil {
            return try ResolvedHost(literals: [origin.host], port: origin.port)
        }
        let resolved = eventLoop.makePromise(of: ResolvedHost.self)
        NIOThreadPool.singleton.submit { state in
            guard case .active = state else { return resolved.fail(CancellationError()) }
            resolved.completeWith(Result { try SystemResolver.resolve(host: origin.host, port: origin.port) })
        }
        guard let limit else { return try await resolved.futureResult.get() }
        let first = eventLoop.makePromise(of: ResolvedHost.self)
        resolved.futureResult.cascade(to: first)
        let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) {
            first.fail(
                NetworkError.timeout(
                    NetworkFailure(
                        "resolving \(origin.host) took longer than \(limit.inSeconds)",
                        phase: .resolve,
                        advice: "check that the network's name server can be reached"
                    )
                )
            )
        }
        defer { timeout.cancel() }
        return try await first.futureResult.get()
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Closes the channel if what was done on it failed.
    fileprivate func closing(_ channel: any Channel) -> EventLoopFuture<Value> {
        flatMapErrorThrowing { error in
            channel.close(mode: .all, promise: nil)
            throw error
        }
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
