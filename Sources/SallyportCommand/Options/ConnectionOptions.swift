import ArgumentParser
import NIOCore
import Sallyport
import SallyportEngine

/// The options for the connection to the server.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: [.customShort("m"), .long, .customLong("max-time")],
        help: ArgumentHelp(
            "The maximum time for the entire command. By default, only the time without data is limited, to 60 seconds.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "The maximum time for each of resolving, connecting and the TLS handshake. (default: 10)",
            valueName: "seconds"
        )
    )
    var connectTimeout: Double?

    @Flag(name: [.customShort("L"), .long], help: "Follow redirects, up to 50 or the number of --max-redirs.")
    var location = false

    @Option(
        name: [.long, .customLong("max-redirs")],
        help: ArgumentHelp(
            "The maximum number of redirects to follow. (default: none; with -L, 50)",
            valueName: "count"
        )
    )
    var follow: Int?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Connect only to IPv4 addresses.")
    var usesIPv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Connect only to IPv6 addresses.")
    var usesIPv6 = false

    @Option(
        help: ArgumentHelp(
            "The maximum rate at which bodies are sent and received, in bytes per second, such as 500K or 1.5M.",
            valueName: SizeArgument.valueName
        ),
        transform: SizeArgument.rate
    )
    var limitRate: Int64?

    @Option(
        help: ArgumentHelp(
            """
            A limit of the client, such as head-size=256K or idle-time=300. The others are \(LimitName.others). (repeatable)
            """,
            valueName: "name=value"
        ),
        transform: LimitArgument.init
    )
    var limit: [LimitArgument] = []

    @Option(help: .resolve, transform: AddressOverride.init(argument:))
    var resolve: [AddressOverride] = []

    @Option(
        help: ArgumentHelp(
            "Connect to a Unix domain socket instead of the host of the URL, and use no proxy.",
            valueName: "path"
        ),
        completion: .file()
    )
    var unixSocket: String?

    @Flag(exclusivity: .exclusive)
    var version: VersionChoice?

    @Option(help: "The transport. (default: the platform's)")
    var transport: TransportChoice?

    func validate() throws {
        for (name, seconds) in [("--timeout", timeout), ("--connect-timeout", connectTimeout)] {
            if let seconds, !(seconds > 0 && seconds < 1e9) {
                throw ValidationError("\(name) needs a number of seconds greater than zero, such as 10.")
            }
        }
        if unixSocket != nil, !resolve.isEmpty {
            throw ValidationError("Only one of --unix-socket and --resolve can be used.")
        }
        if let follow, follow < 0 {
            throw ValidationError("--follow needs a number that is not negative, such as 5.")
        }
        if usesIPv4, usesIPv6 {
            throw ValidationError("Only one of -4 and -6 can be used; omit both to use addresses of both families.")
        }
    }

    /// The limit of ``limitRate``, which all transfers of the command share; `nil` without the option.
    func rateLimit() throws(NetworkError) -> RateLimit? {
        guard let limitRate else { return nil }
        return try RateLimit(bytesPerSecond: limitRate)
    }

    /// The maximum number of redirects to follow; `nil` to follow none. The default of `--location` is curl's.
    var redirectLimit: Int? { follow ?? (location ? 50 : nil) }

    var redirects: RedirectPolicy { redirectLimit.map { .follow(limit: $0) } ?? .refuse }

    /// The family of the addresses to connect to; `nil` for both.
    var addressFamily: AddressFamily? { usesIPv4 ? .ipv4 : usesIPv6 ? .ipv6 : nil }

    var timeouts: Timeouts {
        let start = connectTimeout.map(Duration.seconds) ?? .seconds(10)
        var timeouts = Timeouts(resolve: start, connect: start, tls: start, total: timeout.map(Duration.seconds))
        limit.apply(to: &timeouts)
        return timeouts
    }
}

/// A version of HTTP. Without a choice, the server chooses in the TLS handshake.
enum VersionChoice: EnumerableFlag {
    case http1, http2, onlyHTTP2

    var policy: HTTPVersionPolicy {
        switch self {
        case .http1: .http1
        case .http2: .automatic
        case .onlyHTTP2: .http2
        }
    }

    static func name(for value: VersionChoice) -> NameSpecification {
        switch value {
        case .http1: .customLong("http1.1")
        case .http2: .customLong("http2")
        case .onlyHTTP2: .customLong("http2-prior-knowledge")
        }
    }

    static func help(for value: VersionChoice) -> ArgumentHelp? {
        switch value {
        case .http1: "Use only HTTP/1.1."
        case .http2: "Use HTTP/2 if the server selects it in the TLS handshake, and HTTP/1.1 otherwise. (default)"
        case .onlyHTTP2: "Use only HTTP/2. Without TLS, the server must support it with prior knowledge."
        }
    }
}

/// A transport. Linux has only the engine, because URLSession there is for development.
enum TransportChoice: String, CaseIterable, ExpressibleByArgument {
    case engine
    #if !os(Linux)
    case urlsession
    #endif

    func make(_ configuration: TransportConfiguration) -> any Transport {
        switch self {
        case .engine: Engine(configuration: configuration)
        #if !os(Linux)
        case .urlsession: URLSessionTransport(configuration: configuration)
        #endif
        }
    }
}

extension ArgumentHelp {
    /// The help for the option `--resolve`.
    static let resolve = ArgumentHelp(
        "The address of a host and port, instead of resolving the name. (repeatable)",
        valueName: "host:port:address"
    )
}

extension AddressOverride {
    /// Parses `host:port:address`. Several addresses are separated by commas; IPv6 addresses may be in brackets.
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
