import ArgumentParser
import NIOCore
import Sallyport

extension AddressOverride {
    /// Reads `host:port:address`; several addresses are separated by commas, and IPv6 may stand in brackets.
    init(argument: String) throws {
        let host = argument.hasPrefix("[") ? argument.prefix { $0 != "]" }.dropFirst() : argument.prefix { $0 != ":" }
        let rest = argument[host.endIndex...].drop { $0 == "]" }
        let parts = rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let isHost = host.contains(":") || HostAndPort(host) != nil
        guard isHost, parts.count == 3, parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else {
            throw ValidationError("It must have the form host:port:address.")
        }
        let addresses = parts[2].split(separator: ",", omittingEmptySubsequences: false).map { address in
            String(address.hasPrefix("[") && address.hasSuffix("]") ? address.dropFirst().dropLast() : address)
        }
        for address in addresses where (try? SocketAddress(ipAddress: address, port: 0)) == nil {
            throw ValidationError("\"\(address)\" is not a numeric address.")
        }
        self.init(host: String(host), port: Int(port), addresses: addresses)
    }
}
