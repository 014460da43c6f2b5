import ArgumentParser
import Sallyport
import SallyportEngine

/// How a request gets to its server.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long everything may take. Without it only silence is limited, to 60 seconds.",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "How long resolving, connecting and the TLS handshake may take, each. (default: 10)",
            valueName: "seconds"
        )
    )
    var connectTimeout: Double?

    @Option(help: ArgumentHelp("Follow that many redirects at most. (default: none)", valueName: "count"))
    var follow: Int?

    @OptionGroup
    var overrides: ResolveOptions

    @Flag(exclusivity: .exclusive)
    var version: VersionChoice?

    @Option(help: "What carries the request. (default: the platform's own)")
    var transport: TransportChoice?

    func validate() throws {
        for (name, seconds) in [("--timeout", timeout), ("--connect-timeout", connectTimeout)] {
            if let seconds, !(seconds > 0 && seconds < 1e9) {
                throw ValidationError("\(name) needs a number of seconds greater than zero.")
            }
        }
        if let follow, follow < 0 { throw ValidationError("--follow needs a number that is not negative.") }
    }

    var resolve: [AddressOverride] { overrides.resolve }

    var redirects: RedirectPolicy { follow.map { .follow(limit: $0) } ?? .refuse }

    var timeouts: Timeouts {
        let start = connectTimeout.map(Duration.seconds) ?? .seconds(10)
        return Timeouts(resolve: start, connect: start, tls: start, total: timeout.map(Duration.seconds))
    }
}

/// The versions of HTTP to choose from. Without a choice, the server chooses in the TLS handshake.
enum VersionChoice: EnumerableFlag {
    case http1, http2

    var policy: HTTPVersionPolicy { self == .http1 ? .http1 : .http2 }

    static func name(for value: VersionChoice) -> NameSpecification {
        .customLong(value == .http1 ? "http1.1" : "http2")
    }

    static func help(for value: VersionChoice) -> ArgumentHelp? {
        value == .http1 ? "Speak HTTP/1.1 only." : "Speak HTTP/2 only; without TLS the server has to know it."
    }
}

/// The transports to choose from: on Linux the engine alone, as URLSession there is for development.
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
