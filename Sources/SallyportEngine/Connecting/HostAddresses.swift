import NIOCore
import NIOPosix
import SallyportTransport

/// Finds the addresses of hosts: those of an override, a literal address, or what the system's resolver says.
struct HostAddresses: Sendable {
    let overrides: [AddressOverride]

    /// Threads of their own, so that a name server that does not answer holds up nothing but other look-ups.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 8)
        threads.start()
        return threads
    }()

    /// To be called on the event loop.
    ///
    /// - Returns: What fails with ``NetworkError/hostNotFound(_:)``, ``NetworkError/timeout(_:)``, or
    ///   ``NetworkError/invalidRequest(_:)`` for an override that is no address.
    func of(_ origin: Origin, on eventLoop: any EventLoop, limit: Duration?) -> EventLoopFuture<ResolvedHost> {
        if let override = overrides.first(where: { $0.isFor(origin) }) {
            return eventLoop.makeCompletedFuture {
                try ResolvedHost(literals: override.addresses, port: origin.port)
            }
        }
        if let literal = try? SocketAddress(ipAddress: origin.host, port: origin.port) {
            return eventLoop.makeSucceededFuture(ResolvedHost(literal))
        }
        let resolved = eventLoop.makePromise(of: ResolvedHost.self)
        let timeout = limit.map { limit in
            eventLoop.scheduleTask(in: TimeAmount(limit)) { resolved.fail(tooLong(origin, limit)) }
        }
        ask(for: origin, on: eventLoop).cascade(to: resolved)
        if let timeout { resolved.futureResult.whenComplete { _ in timeout.cancel() } }
        return resolved.futureResult
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
