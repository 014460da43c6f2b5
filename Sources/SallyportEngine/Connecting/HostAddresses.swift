import NIOCore
import NIOPosix
import SallyportTransport

/// Finds the addresses of hosts: those of an override, a literal address, the loopback addresses, or those that the system's
/// resolver returns.
struct HostAddresses: Sendable {
    let overrides: [AddressOverride]

    /// Separate threads, so that a name server that does not answer delays only other look-ups.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 8)
        threads.start()
        return threads
    }()

    /// Returns the addresses of a host. To be called on the event loop.
    ///
    /// - Returns: A future that fails with ``NetworkError/hostNotFound(_:)``, ``NetworkError/timeout(_:)``, or
    ///   ``NetworkError/invalidRequest(_:)`` for an override that is not an address.
    func of(_ origin: Origin, on eventLoop: any EventLoop, limit: Duration?) -> EventLoopFuture<ResolvedHost> {
        do throws(NetworkError) {
            if let known = try known(for: origin) { return eventLoop.makeSucceededFuture(known) }
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        let resolved = eventLoop.makePromise(of: ResolvedHost.self)
        let timeout = limit.map { limit in
            eventLoop.scheduleTask(in: TimeAmount(limit)) { resolved.fail(tooLong(origin, limit)) }
        }
        ask(for: origin, on: eventLoop).cascade(to: resolved)
        if let timeout { resolved.futureResult.whenComplete { _ in timeout.cancel() } }
        return resolved.futureResult
    }

    /// Returns the addresses of a host that is not looked up; `nil` for every other host.
    ///
    /// `localhost` and the names below it have the loopback addresses: no name server can redirect them (RFC 6761, section
    /// 6.3).
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for an override that is not an address.
    func known(for origin: Origin) throws(NetworkError) -> ResolvedHost? {
        if let override = overrides.first(where: { $0.isFor(origin) }) {
            return try ResolvedHost(literals: override.addresses, port: origin.port)
        }
        if origin.isLocalhost { return try ResolvedHost(literals: ["::1", "127.0.0.1"], port: origin.port) }
        return (try? SocketAddress(ipAddress: origin.host, port: origin.port)).map { ResolvedHost($0) }
    }

    /// The resolver blocks a thread, and cannot be stopped once it has begun.
    private func ask(for origin: Origin, on eventLoop: any EventLoop) -> EventLoopFuture<ResolvedHost> {
        let answer = eventLoop.makePromise(of: ResolvedHost.self)
        Self.threads.submit { state in
            guard case .active = state else { return answer.fail(CancellationError()) }
            answer.completeWith(Result { try SystemResolver.resolve(host: origin.host, port: origin.port) })
        }
        return answer.futureResult
    }

    private func tooLong(_ origin: Origin, _ limit: Duration) -> NetworkError {
        .timeout(
            NetworkFailure(
                "resolving \(origin.host) took longer than \(limit.inSeconds)",
                phase: .resolve,
                advice: "check that the network's name server can be reached"
            )
        )
    }
}
