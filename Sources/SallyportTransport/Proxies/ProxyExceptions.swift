/// The servers that are reached without a proxy, by curl's rules for `NO_PROXY`.
struct ProxyExceptions: Sendable {
    private let isAll: Bool
    private let entries: [Entry]

    /// Parses a list of exceptions.
    ///
    /// - Parameter list: Names and networks, separated by commas, spaces or tabs. Invalid entries match nothing.
    init(_ list: String) {
        let texts = list.split { ", \t".contains($0) }
        isAll = texts == ["*"]
        entries = texts.compactMap { Entry($0.lowercased()) }
    }

    func contains(_ origin: Origin) -> Bool {
        if isAll { return true }
        guard !entries.isEmpty else { return false }
        let address = NumericAddress(origin.host)
        let name = origin.host.withoutLastDot
        return entries.contains { entry in
            guard entry.port == nil || entry.port == origin.port else { return false }
            switch (entry.hosts, address) {
            case (.network(let network, let bits), let address?): return address.isIn(network, bits: bits)
            case (.domain(let domain), nil): return name == domain || name.hasSuffix(".\(domain)")
            default: return false
            }
        }
    }

    private struct Entry: Sendable {
        enum Hosts: Sendable {
            case domain(Substring)
            case network(NumericAddress, bits: Int)
        }

        let hosts: Hosts
        let port: Int?

        init?(_ text: String) {
            var host = text[...]
            var port: Substring?
            if host.first == "[", let end = host.lastIndex(of: "]") {
                let rest = host[end...].dropFirst()
                host = host[..<end].dropFirst()
                if rest.first == ":" { port = rest.dropFirst() } else { host += rest }
            } else if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
                port = host[colon...].dropFirst()
                host = host[..<colon]
            }
            self.port = port.flatMap { Int($0) }
            guard port == nil || self.port != nil, let hosts = Self.hosts(host) else { return nil }
            self.hosts = hosts
        }

        private static func hosts(_ text: Substring) -> Hosts? {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            if let first = parts.first, let address = NumericAddress(first) {
                let bits = parts.count > 1 ? Int(parts[1]) : address.size
                // As in curl, a prefix length of 0 means a single address.
                guard let bits, (0...address.size).contains(bits) else { return nil }
                return .network(address, bits: bits == 0 ? address.size : bits)
            }
            let domain = text.withoutLastDot
            let name = domain.first == "." ? domain.dropFirst() : domain
            return name.isEmpty || name == "*" ? nil : .domain(name)
        }
    }
}

extension StringProtocol {
    /// The name without the trailing dot of the DNS root.
    fileprivate var withoutLastDot: Substring { last == "." ? Substring(dropLast()) : Substring(self) }
}
