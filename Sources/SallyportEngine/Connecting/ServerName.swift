import NIOCore

/// The name by which a server is called, and to which its certificate has to be issued (RFC 9525).
struct ServerName: Sendable, Hashable, CustomStringConvertible {
    private let host: String
    private let isAddress: Bool

    /// - Parameter host: As in an origin: lower-case, an IPv6 address without its brackets.
    init(_ host: String) {
        self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
        isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    var description: String { host }

    /// What is told to the server in the handshake (RFC 6066, section 3): no addresses.
    var indication: String? { isAddress ? nil : host }

    /// The host if it is an address. A host is checked by its name and never by its address, an address by itself.
    var address: String? { isAddress ? host : nil }
}
