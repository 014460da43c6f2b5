import Sallyport
import SallyportStorage

/// The names of servers in labels. The number of servers is limited, because each has its own time series.
final class ServerNames: Sendable {
    private let hosts: [HostPattern]?
    private let limit: Int
    private let named = Locked<Set<ServerOrigin>>([])

    /// - Parameters:
    ///   - hosts: The hosts whose names may be used; `nil` for all.
    ///   - limit: The maximum number of servers.
    init(only hosts: [HostPattern]?, limit: Int) {
        self.hosts = hosts
        self.limit = limit
    }

    /// Returns the name of a server.
    func name(of server: ServerOrigin?) -> ServerName {
        guard let server else { return .unknown }
        let isNamed = named.withLock { named in
            if named.contains(server) { return true }
            guard named.count < limit, hosts?.contains(where: { $0.matches(server.host) }) ?? true else { return false }
            named.insert(server)
            return true
        }
        return isNamed ? ServerName(address: server.host, port: "\(server.port)") : .other
    }
}

/// The name of a server in labels.
struct ServerName: Hashable, Sendable {
    let address: String
    let port: String

    /// The name for servers whose own name is not used.
    static let other = ServerName(address: "other", port: "")

    /// The name for a request without a valid URL.
    static let unknown = ServerName(address: "", port: "")

    var labels: [(String, String)] { [("server.address", address), ("server.port", port)] }
}
