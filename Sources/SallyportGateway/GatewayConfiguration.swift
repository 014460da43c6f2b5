import Foundation
import Logging
import Sallyport

/// The address, TLS, logging and features of a gateway.
public struct GatewayConfiguration: Sendable {
    /// The host name or address to bind. The default is 127.0.0.1.
    public var host: String
    /// The port to bind; 0 for a free one.
    public var port: Int
    /// The TLS settings.
    public var tls: GatewaySecurity
    /// A Boolean value that indicates whether clients can use HTTP/2 over TLS. They select the version by ALPN (RFC 7301). The default is
    /// `false`; `sallyport serve` sets it to `true`.
    public var allowsHTTP2 = false
    /// The logger. The method, route and status of each request are logged at the level `info`; query, headers and body
    /// are not.
    public var logger: Logger
    /// The maximum time that a shutdown waits for running requests before it cancels them.
    public var shutdownGrace: Duration
    /// The gateway's own authorization server; `nil` for none.
    public var authorizationServer: AuthorizationServer?
    /// The resources below `/resources` that accept access tokens of another gateway; `nil` for none.
    ///
    /// An ``authorizationServer`` with ``AuthorizationServerConfiguration/resourcePolicies`` has its own resources.
    public var resourceServer: ResourceServer?
    /// A Boolean value that indicates whether there are routes for testing clients, such as `/echo`. The default is `true`.
    public var hasTestRoutes = true
    /// The port of the routes for testing clients; 0 selects a free one. The default is `nil`: they are at ``port``.
    ///
    /// Test routes redirect to any URL and store any file. If browsers sign in at ``authorizationServer``, give the test routes a port
    /// of their own, and with it another origin than the issuer's. `sallyport serve` does so.
    ///
    /// ```swift
    /// configuration.testPort = 0
    /// try await Gateway.withRunning(configuration) { address in print(address.testURL) }
    /// ```
    public var testPort: Int?
    /// Further hosts that are allowed in `Host`.
    ///
    /// Requests for any other host get status 421, so that web pages of other sites cannot read responses by DNS
    /// rebinding. These hosts are always allowed: ``host``, the host of the issuer of ``authorizationServer``, the IP
    /// address that a client has connected to and, on loopback, `localhost`, its subdomains, `127.0.0.1` and `::1`. The
    /// port in `Host` is ignored.
    ///
    /// ```swift
    /// var configuration = GatewayConfiguration(host: "0.0.0.0")
    /// configuration.allowedHosts = [try HostPattern("gateway.example.com")]
    /// ```
    public var allowedHosts: [HostPattern] = []
    /// The payload encryption; `nil` for none.
    public var payloadEncryption: GatewayPayloadEncryption?
    /// A closure that returns the commands to show on the page at `/`, for the gateway's base URL, such as `https://127.0.0.1:49152`, and
    /// the base URL of the test routes, which is `nil` if there are none. By default, the page shows no commands.
    public var suggestedCommands: @Sendable (_ baseURL: String, _ testURL: String?) -> [String] = { _, _ in [] }

    /// Creates a configuration; by default plain HTTP on a free port of 127.0.0.1, without logs.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: GatewaySecurity = .none,
        logger: Logger = Logger(label: "sallyport.gateway") { _ in SwiftLogNoOpLogHandler() },
        shutdownGrace: Duration = .seconds(5),
        authorizationServer: AuthorizationServer? = nil
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.logger = logger
        self.shutdownGrace = shutdownGrace
        self.authorizationServer = authorizationServer
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension GatewayConfiguration {
    /// The groups of the routes for testing clients.
    var testRouteGroups: [any RouteGroup] {
        RouteGroups.test(reservedCookies: authorizationServer?.configuration.cookieNames ?? [])
    }

    /// The groups of the routes at ``port``.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if there are two sets of resources.
    var routeGroups: [any RouteGroup] {
        get throws(GatewayError) {
            var groups: [any RouteGroup] = [HealthRoutes()]
            if hasTestRoutes, testPort == nil { groups += testRouteGroups }
            groups += authorizationServer?.routeGroups ?? []
            guard let resourceServer else { return groups }
            guard authorizationServer?.configuration.resourcePolicies.isEmpty ?? true else {
                throw .invalidIdentity("The authorization server has resources too (resource_policies).")
            }
            if let mistake = resourceServer.configuration.mistake { throw .invalidIdentity(mistake) }
            return groups + [ResourceServerRoutes(server: resourceServer)]
        }
    }
}

extension GatewayConfiguration {
    /// The hosts that are served on every connection.
    var servedHosts: [HostPattern] {
        let issuer = authorizationServer?.configuration.issuer.flatMap { URLComponents(string: $0)?.host }
        let own = [GatewayAddress(configuration: self, port: port).host, issuer].compactMap { $0 }
        return own.compactMap { try? HostPattern($0) } + allowedHosts
    }
}

/// The TLS settings of a gateway.
public enum GatewaySecurity: Sendable {
    /// Plain HTTP.
    case none
    /// TLS with a certificate that the authority issues at start for loopback and the configured hosts.
    case developmentAuthority(DevelopmentAuthority)
    /// TLS with a given certificate. With a client authority, clients must present one of its certificates.
    case certificate(IssuedCertificate, clientAuthority: DevelopmentAuthority? = nil)
}

/// The address of a running gateway.
public struct GatewayAddress: Sendable, Hashable {
    /// The host for URLs.
    public let host: String
    /// The port that the gateway is bound to.
    public let port: Int
    /// The port of the routes for testing clients: ``port``, unless ``GatewayConfiguration/testPort`` is set.
    public let testPort: Int
    /// A Boolean value that indicates whether the gateway uses TLS.
    public let isSecure: Bool

    /// The base URL of the gateway, without a slash at the end, such as `https://127.0.0.1:49152`.
    public var baseURL: String { url(port) }

    /// The base URL of the routes for testing clients, without a slash at the end.
    public var testURL: String { url(testPort) }

    private func url(_ port: Int) -> String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    init(configuration: GatewayConfiguration, port: Int, testPort: Int? = nil) {
        let listensEverywhere = ["0.0.0.0", "::"].contains(configuration.host)
        self.host = listensEverywhere ? "localhost" : configuration.host
        self.port = port
        self.testPort = testPort ?? port
        if case .none = configuration.tls {
            self.isSecure = false
        } else {
            self.isSecure = true
        }
    }
}
