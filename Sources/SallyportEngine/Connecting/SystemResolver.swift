import NIOCore
import NIOPosix
import SallyportTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The addresses of a host, by address family.
struct ResolvedHost: Sendable {
    var ipv4: [SocketAddress] = []
    var ipv6: [SocketAddress] = []
    /// The Unix domain socket that is used instead of an address.
    private var socket: SocketAddress?

    var isEmpty: Bool { ipv4.isEmpty && ipv6.isEmpty }

    /// A Boolean value that indicates whether all addresses are on this computer.
    var isLoopback: Bool {
        (ipv4 + ipv6).allSatisfy { $0.ipAddress.flatMap { NumericAddress($0) }?.isLoopback == true }
    }

    /// The address, if the host has exactly one.
    var only: SocketAddress? { socket ?? (ipv4.count + ipv6.count == 1 ? ipv4.first ?? ipv6.first : nil) }

    init() {}

    /// Creates a host with a Unix domain socket.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a path that is empty or too long.
    init(unixSocketPath path: String) throws(NetworkError) {
        socket = path.isEmpty || path.utf8.contains(0) ? nil : try? SocketAddress(unixDomainSocketPath: path)
        guard socket != nil else {
            throw .invalidRequest(
                NetworkFailure(
                    "the path of the Unix socket \"\(path)\" is not one that the system allows",
                    advice: "use a path of 1 to 103 bytes"
                )
            )
        }
    }

    /// Returns only the addresses of a family; all if it is `nil`.
    ///
    /// - Parameter host: The name of the host, for the error.
    /// - Throws: ``NetworkError/hostNotFound(_:)`` if there is none.
    func addresses(of family: AddressFamily?, for host: String) throws(NetworkError) -> ResolvedHost {
        guard let family, socket == nil else { return self }
        var chosen = ResolvedHost()
        if family == .ipv4 { chosen.ipv4 = ipv4 } else { chosen.ipv6 = ipv6 }
        if !chosen.isEmpty { return chosen }
        throw .hostNotFound(
            NetworkFailure(
                "the host \(host) has no \(family.rawValue) address",
                phase: .resolve,
                advice: SettingAdvice.bothAddressFamilies.rawValue
            )
        )
    }
}

/// Access to the system's resolver.
enum SystemResolver {
    /// Returns the addresses of a host. Blocks the calling thread.
    ///
    /// - Throws: ``NetworkError/hostNotFound(_:)``.
    static func resolve(host: String, port: Int) throws -> ResolvedHost {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin) || canImport(Musl)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &first)
        guard code == 0 else { throw notFound(host, String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(first) }
        var resolved = ResolvedHost()
        var next = first
        while let info = next?.pointee {
            resolved.add(info)
            next = info.ai_next
        }
        guard !resolved.isEmpty else { throw notFound(host, "it has no address") }
        return resolved
    }

    private static func notFound(_ host: String, _ reason: String) -> NetworkError {
        .hostNotFound(
            NetworkFailure(
                "the host \(host) was not found: \(reason)",
                phase: .resolve,
                advice: "check its spelling, and that the network's name server can be reached"
            )
        )
    }
}

extension ResolvedHost {
    fileprivate mutating func add(_ info: addrinfo) {
        guard let address = info.ai_addr else { return }
        switch info.ai_family {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { ipv4.append(SocketAddress($0.pointee)) }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { ipv6.append(SocketAddress($0.pointee)) }
        default:
            break
        }
    }

    /// Creates a host with the numeric addresses of an override.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming an override that is not a numeric address.
    init(literals: [String], port: Int) throws(NetworkError) {
        if literals.isEmpty { throw .invalidRequest("an address override has no address") }
        for literal in literals {
            guard let address = try? SocketAddress(ipAddress: literal, port: port) else {
                throw .invalidRequest("the address override \"\(literal)\" is not a numeric address")
            }
            add(address)
        }
    }

    init(_ address: SocketAddress) {
        add(address)
    }

    private mutating func add(_ address: SocketAddress) {
        if address.protocol == .inet6 { ipv6.append(address) } else { ipv4.append(address) }
    }
}

/// A resolver that returns addresses resolved earlier, so that the timeout of NIO's Happy Eyeballs covers connecting
/// only.
struct ResolvedAddresses: Resolver {
    let host: ResolvedHost
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(self.host.ipv4)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(self.host.ipv6)
    }

    func cancelQueries() {}
}
