import NIOCore
import NIOPosix
import SallyportTransport

/// Resolves hosts to addresses: from an override, a literal address, the loopback names, or the system's resolver.
struct HostAddresses: Sendable {
    let overrides: [AddressOverride]
    /// The family of the addresses to use; `nil` for both.
    var family: AddressFamily?
    /// The path of the Unix domain socket that all hosts have as their address, if any.
    var unixSocketPath: String?

    /// The threads for the system's resolver, so that a DNS server that does not respond delays only other lookups.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 8)
        threads.start()
        return threads
    }()

    /// Returns the addresses of a host. Must be called on the event loop.
    ///
    /// - Returns: A future that fails with ``NetworkError/hostNotFound(_:)``, ``NetworkError/timeout(_:)``, or
    ///   ``NetworkError/invalidRequest(_:)`` for an override that is not an address.
    func resolve(_ origin: Origin, on eventLoop: any EventLoop, limit: Duration?) -> EventLoopFuture<ResolvedHost> {
        do throws(NetworkError) {
            if let known = try knownAddresses(for: origin) {
                return eventLoop.makeSucceededFuture(try known.addresses(of: family, for: origin.host))
            }
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        let resolved = eventLoop.makePromise(of: ResolvedHost.self)
        let timeout = limit.map { limit in
            eventLoop.scheduleTask(in: TimeAmount(limit)) { resolved.fail(timedOut(origin, limit)) }
        }
        querySystem(for: origin, on: eventLoop).cascade(to: resolved)
        if let timeout { resolved.futureResult.whenComplete { _ in timeout.cancel() } }
        return resolved.futureResult
    }

    /// Returns the addresses of a host that needs no lookup, or `nil` for every other host.
    ///
    /// `localhost` and the names below it have the loopback addresses: no DNS server can redirect them (RFC 6761,
    /// section 6.3).
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for an override that is not an address, or a path that is too long.
    func knownAddresses(for origin: Origin) throws(NetworkError) -> ResolvedHost? {
        if let unixSocketPath { return try ResolvedHost(unixSocketPath: unixSocketPath) }
        if let override = overrides.first(where: { $0.applies(to: origin) }) {
            return try ResolvedHost(literals: override.addresses, port: origin.port)
        }
        if origin.isLocalhost { return try ResolvedHost(literals: ["::1", "127.0.0.1"], port: origin.port) }
        return (try? SocketAddress(ipAddress: origin.host, port: origin.port)).map { ResolvedHost($0) }
    }

    /// Queries the system's resolver, which blocks a thread and cannot be cancelled.
    private func querySystem(for origin: Origin, on eventLoop: any EventLoop) -> EventLoopFuture<ResolvedHost> {
        let promise = eventLoop.makePromise(of: ResolvedHost.self)
        Self.threads.submit { [family] state in
            guard case .active = state else { return promise.fail(CancellationError()) }
            promise.completeWith(
                Result {
                    try SystemResolver.resolve(host: origin.host, port: origin.port)
                        .addresses(of: family, for: origin.host)
                }
            )
        }
        return promise.futureResult
    }

    private func timedOut(_ origin: Origin, _ limit: Duration) -> NetworkError {
        .timeout(
            NetworkFailure(
                "resolving \(origin.host) took longer than \(Quantity.time(limit))",
                phase: .resolve,
                advice: "check that the network's name server can be reached"
            )
        )
    }
}

extension HostAddresses {
    init(_ configuration: TransportConfiguration) {
        self.init(
            overrides: configuration.addressOverrides,
            family: configuration.addressFamily,
            unixSocketPath: configuration.unixSocketPath
        )
    }
}
