import Sallyport

/// The names of servers in labels. The number of servers is limited, because each has its own time series.
final class ServerNames: Sendable {
    private let hosts: [HostPattern]?
    private let named: LabelValues<ServerOrigin>

    /// - Parameters:
    ///   - hosts: The hosts whose names may be used; `nil` for all.
    ///   - limit: The maximum number of servers.
    init(only hosts: [HostPattern]?, limit: Int) {
        self.hosts = hosts
        named = LabelValues(limit: limit)
    }

    /// Returns the name of a server.
    func name(of server: ServerOrigin) -> ServerName {
        let isListed = hosts?.contains(where: { $0.matches(server.host) }) ?? true
        return isListed && named.allows(server) ? ServerName(address: server.host, port: "\(server.port)") : .other
    }
}

/// The name of a server in labels.
struct ServerName: Hashable, Sendable {
    let address: String
    /// The port; `nil` if the name stands for several servers.
    let port: String?

    /// The name for servers whose own name is not used.
    static let other = ServerName(address: "other", port: nil)

    var labels: [(String, String?)] { [(Attribute.serverAddress, address), (Attribute.serverPort, port)] }
}
