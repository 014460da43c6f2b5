import Foundation
import Logging
import Sallyport

/// Where and how a gateway listens.
public struct GatewayConfiguration: Sendable {
    /// The host name or address to bind; loopback unless changed.
    public var host: String
    /// The port to bind; 0 asks the system for a free one.
    public var port: Int
    /// How connections are secured.
    public var tls: GatewaySecurity
    /// Where the gateway logs: a line for each request at `info`, never with its query, headers or body.
    public var logger: Logger
    /// How long requests in flight may still take once the gateway shuts down; then they are cancelled.
    public var shutdownGrace: Duration
    /// The gateway's own authorization server; `nil` for none.
    public var authorizationServer: AuthorizationServer?
    /// Further hosts that requests may be for.
    ///
    /// Requests for any other host get status 421, so that web pages of other sites cannot read responses by DNS
    /// rebinding. These hosts are always allowed: ``host``, the host of the issuer of ``authorizationServer``, the IP
    /// address that a client has connected to and, on loopback, `localhost`, its subdomains, `127.0.0.1` and `::1`. The
    /// port in `Host` makes no difference.
    ///
    /// ```swift
    /// var configuration = GatewayConfiguration(host: "0.0.0.0")
    /// configuration.allowedHosts = [try HostPattern("gateway.example.com")]
    /// ```
    public var allowedHosts: [HostPattern] = []

    /// Creates a configuration; by default plain HTTP on a free port of 127.0.0.1, logging nothing.
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

extension GatewayConfiguration {
    /// The hosts that are served on every connection.
    var servedHosts: [HostPattern] {
        let issuer = authorizationServer?.configuration.issuer.flatMap { URLComponents(string: $0)?.host }
        let own = [GatewayAddress(configuration: self, port: port).host, issuer].compactMap { $0 }
        return own.compactMap { try? HostPattern($0) } + allowedHosts
    }
}

/// How a gateway secures its connections.
public enum GatewaySecurity: Sendable {
    /// Plain HTTP.
    case none
    /// TLS with a certificate that the authority issues at start for loopback and the configured host.
    case developmentAuthority(DevelopmentAuthority)
    /// TLS with a given certificate. With a client authority, only clients holding one of its certificates may call.
    case certificate(IssuedCertificate, clientAuthority: DevelopmentAuthority? = nil)
}
