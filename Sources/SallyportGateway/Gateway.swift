import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import SallyportTransport
import ServiceLifecycle

/// The embedded development server, over plain HTTP or over TLS with certificates of a development authority.
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
    /// How the gateway was asked to listen.
    public let configuration: GatewayConfiguration
    private let onReady: @Sendable (GatewayAddress) async -> Void

    /// Creates a gateway, which listens once it runs.
    ///
    /// - Parameters:
    ///   - configuration: Where and how to listen.
    ///   - onReady: Called once the gateway accepts connections, with the address it is bound to.
    public init(
        configuration: GatewayConfiguration = GatewayConfiguration(),
        onReady: @escaping @Sendable (GatewayAddress) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.onReady = onReady
    }

    /// Listens until the service group it belongs to shuts down gracefully, or its task is cancelled.
    ///
    /// - Throws: ``GatewayError`` when the address cannot be used, or the error of an unusable certificate.
    public func run() async throws {
        guard (0...65535).contains(configuration.port) else {
            throw GatewayError.invalidPort(configuration.port)
        }
        let application = Application(
            router: Router.gateway(
                routeGroups: RouteGroups.all + (configuration.authorizationServer?.routeGroups ?? []),
                hosts: configuration.servedHosts
            ),
            server: try .gateway(configuration),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "sallyport-gateway",
                availableConnectionsDelegate: MaximumAvailableConnections(1024)
            ),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? configuration.port
                let address = GatewayAddress(configuration: configuration, port: port)
                await configuration.authorizationServer?.serve(at: address.baseURL)
                await onReady(address)
            },
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

extension Error {
    /// The reason why the system could not resolve or bind an address, and the remedy; `nil` for any other error.
    fileprivate var addressReason: String? {
        switch self {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            NetworkFailure.reason(socketError: EADDRINUSE) + "; stop the program that uses it, or choose another port"
        case let error as IOError: NetworkFailure.reason(socketError: error.errnoCode)
        case is SocketAddressError, is SocketAddressError.UnknownHost: "the host name cannot be resolved"
        default: nil
        }
    }
}
