import Sallyport

/// The servers that are named in labels: so many and no more, as each makes time series of its own.
final class ServerNames: Sendable {
    private let hosts: [HostPattern]?
    private let limit: Int
    private let named = Locked<Set<ServerOrigin>>([])

    /// - Parameter hosts: Those that may be named; `nil` for any.
    init(only hosts: [HostPattern]?, limit: Int) {
        self.hosts = hosts
        self.limit = limit
    }

    /// What a server is called.
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

    /// One of those that are not named.
    static let other = ServerName(address: "other", port: "")

    /// That of a request without a valid URL.
    static let unknown = ServerName(address: "", port: "")

    var labels: [(String, String)] { [("server.address", address), ("server.port", port)] }
}
