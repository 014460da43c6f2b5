import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import SallyportTransport
import ServiceLifecycle
import UnixSignals

/// An embedded development server, over plain HTTP or over TLS with certificates of a development authority.
///
/// It is meant for demos and tests, and listens on loopback by default. Requests for hosts other than its own are
/// refused; see ``GatewayConfiguration/allowedHosts``.
///
/// ```swift
/// let authority = try DevelopmentAuthority()
/// let configuration = GatewayConfiguration(tls: .developmentAuthority(authority))
/// try await Gateway.withRunning(configuration) { address in
///     print(address.baseURL)
/// }
/// ```
@available(macOS 14, iOS 17, tvOS 17, *)
public struct Gateway: Service {
    /// The configuration.
    public let configuration: GatewayConfiguration
    private let onReady: @Sendable (GatewayAddress) async -> Void

    /// Creates a gateway. It listens once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - configuration: The address, TLS and logging.
    ///   - onReady: A closure that is called with the bound address once the gateway accepts connections.
    public init(
        configuration: GatewayConfiguration = GatewayConfiguration(),
        onReady: @escaping @Sendable (GatewayAddress) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.onReady = onReady
    }

    /// Listens until the service group it belongs to shuts down gracefully, or its task is cancelled.
    ///
    /// - Throws: ``GatewayError`` if an address cannot be used, or the error of an unusable certificate.
    public func run() async throws {
        guard configuration.hasTestRoutes, let testPort = configuration.testPort else {
            return try await listen(testPort: nil)
        }
        let (boundPorts, continuation) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                let groups = [HealthRoutes()] + configuration.testRouteGroups
                try await Self.listen(configuration.forTests(at: testPort), groups) { continuation.yield($0) }
            }
            if let boundPort = await boundPorts.first(where: { _ in true }) {
                tasks.addTask { try await listen(testPort: boundPort) }
            }
            for try await _ in tasks {}
        }
    }

    /// Listens at the configured port.
    private func listen(testPort: Int?) async throws {
        var configuration = configuration
        configuration.testPort = testPort
        try await Self.listen(configuration, try configuration.routeGroups) { [configuration] port in
            let address = GatewayAddress(configuration: configuration, port: port, testPort: testPort)
            await configuration.authorizationServer?.serve(at: address.baseURL)
            await onReady(address)
        }
    }

    private static func listen(
        _ configuration: GatewayConfiguration,
        _ routeGroups: [any RouteGroup],
        onReady: @escaping @Sendable (_ port: Int) async -> Void
    ) async throws {
        guard (0...65535).contains(configuration.port) else {
            throw GatewayError.invalidPort(configuration.port)
        }
        let application = Application(
            router: Router.gateway(routeGroups: routeGroups, configuration),
            server: try .gateway(configuration),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "sallyport-gateway",
                availableConnectionsDelegate: MaximumAvailableConnections(1024)
            ),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? configuration.port) },
            logger: configuration.logger
        )
        do {
            try await application.run()
        } catch {
            guard let reason = error.addressReason else { throw error }
            throw GatewayError.cannotListen(host: configuration.host, port: configuration.port, reason: reason)
        }
    }
}

extension GatewayConfiguration {
    /// Returns the configuration of a server that has only the routes for testing clients.
    fileprivate func forTests(at port: Int) -> GatewayConfiguration {
        var configuration = self
        configuration.allowedHosts = servedHosts
        configuration.port = port
        configuration.testPort = nil
        configuration.authorizationServer = nil
        configuration.resourceServer = nil
        configuration.suggestedCommands = { _, _ in [] }
        return configuration
    }
}

extension Error {
    /// The reason why the system could not resolve or bind an address, and the remedy; `nil` for any other error.
    fileprivate var addressReason: String? {
        switch self {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            NetworkFailure.reason(socketError: EADDRINUSE) + "; stop the program that uses it, or choose another port"
        case let error as IOError where error.errnoCode == EACCES:
            NetworkFailure.reason(socketError: EACCES)
                + "; ports below 1024 may need special rights: choose another port, such as 8080"
        case let error as IOError: NetworkFailure.reason(socketError: error.errnoCode)
        case is SocketAddressError, is SocketAddressError.UnknownHost: "the host name cannot be resolved"
        default: nil
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Gateway {
    /// Runs a gateway while a closure runs, then shuts it down gracefully.
    ///
    /// - Parameters:
    ///   - configuration: The address, TLS and logging; by default plain HTTP on a free port of 127.0.0.1.
    ///   - isolation: The isolation of the caller and the closure.
    ///   - body: A closure that is called with the bound address once the gateway accepts connections.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or the reason why the gateway could not start.
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
    /// - Throws: ``GatewayError`` if the address cannot be used, or the error of an unusable certificate.
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
