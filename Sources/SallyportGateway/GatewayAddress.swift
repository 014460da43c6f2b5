/// Where a running gateway can be called.
public struct GatewayAddress: Sendable, Hashable {
    /// The host to call.
    public let host: String
    /// The port it is bound to.
    public let port: Int
    /// Whether it speaks TLS.
    public let isSecure: Bool

    /// The start of every URL of the gateway, without a slash at the end: `https://127.0.0.1:49152`.
    public var baseURL: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    init(configuration: GatewayConfiguration, port: Int) {
        let listensEverywhere = ["0.0.0.0", "::"].contains(configuration.host)
        self.host = listensEverywhere ? "localhost" : configuration.host
        self.port = port
        if case .none = configuration.tls {
            self.isSecure = false
        } else {
            self.isSecure = true
        }
    }
}
