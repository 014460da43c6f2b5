import ServiceLifecycle
import UnixSignals

@available(macOS 14, iOS 17, tvOS 17, *)
extension Gateway {
    /// Runs a gateway for as long as a closure takes, then shuts it down gracefully.
    ///
    /// - Parameters:
    ///   - configuration: Where and how to listen; by default without TLS on a free port of 127.0.0.1.
    ///   - isolation: The isolation of the caller, which the closure keeps.
    ///   - body: Called with the bound address once the gateway accepts connections.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or the reason why the gateway could not start.
    @discardableResult
    public static func withRunning<Value>(
        _ configuration: GatewayConfiguration = GatewayConfiguration(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (GatewayAddress) async throws -> Value
    ) async throws -> Value {
        let (addresses, continuation) = AsyncStream.makeStream(of: GatewayAddress.self)
        let gateway = Gateway(configuration: configuration) { address in
            continuation.yield(address)
        }
        let services = gateway.serviceGroup(shutdownSignals: [])

        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                try await services.run()
            }
            guard let address = await addresses.first(where: { _ in true }) else {
                try await tasks.next()
                throw GatewayError.stoppedEarly
            }
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body(address))
            } catch {
                outcome = .failure(error)
            }
            await services.triggerGracefulShutdown()
            _ = await tasks.nextResult()
            return try outcome.get()
        }
    }

    /// Runs the gateway until the process is interrupted or asked to terminate, then shuts it down gracefully.
    ///
    /// - Throws: ``GatewayError`` when the address cannot be used, or the error of an unusable certificate.
    public func runUntilSignal() async throws {
        try await serviceGroup(shutdownSignals: [.sigint, .sigterm]).run()
    }

    private func serviceGroup(shutdownSignals: [UnixSignal]) -> ServiceGroup {
        var settings = ServiceGroupConfiguration(
            services: [self],
            gracefulShutdownSignals: shutdownSignals,
            logger: configuration.logger
        )
        settings.maximumGracefulShutdownDuration = configuration.shutdownGrace
        return ServiceGroup(configuration: settings)
    }
}
