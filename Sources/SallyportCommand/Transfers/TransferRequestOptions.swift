import ArgumentParser
import Sallyport

/// All that can be said about the requests of transfers.
struct TransferRequestOptions: ParsableArguments {
    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup(title: "Authentication Options")
    var authentication: TransferAuthenticationOptions

    @OptionGroup(title: "Cookie Options")
    var cookies: CookieOptions

    @OptionGroup(title: "Connection Options")
    var connection: ConnectionOptions

    @OptionGroup(title: "Retry Options")
    var retries: RetryOptions

    @OptionGroup(title: "Proxy Options")
    var proxy: ProxyOptions

    @OptionGroup(title: "TLS Options")
    var security: SecurityOptions

    @OptionGroup(title: "Pin Options")
    var pins: PinOptions

    @OptionGroup(title: "Output Options")
    var output: TransferOutputOptions
}

extension TransferRequestOptions: ClientOptions {
    var decodesContent: Bool { false }
    var isVerbose: Bool { output.verbose }

    /// How long everything may take.
    var timeout: Duration? { connection.timeout.map(Duration.seconds) }

    /// The display for what standard error is.
    var display: TransferDisplay { TransferDisplay(.init(quiet: output.quiet, verbose: output.verbose)) }

    /// A request to a URL, without a body.
    ///
    /// - Throws: A failure that says what is wrong with it.
    func request(to url: String) throws -> HttpRequest {
        try check(url)
        var request = HttpRequest(url: url)
        apply(to: &request)
        _ = try request.head()
        return request
    }

    /// Puts all into a request but its method and body.
    func apply(to request: inout HttpRequest) {
        head.apply(to: &request)
        cookies.apply(to: &request)
        retries.apply(to: &request)
        // The time for everything is that of the transfer, which may be several requests.
        request.timeouts = connection.timeouts
        request.timeouts?.total = nil
    }
}

/// As whom to appear to the server. `--digest` is another thing here: that of the file.
struct TransferAuthenticationOptions: ParsableArguments {
    @OptionGroup
    var given: CredentialOptions

    @Flag(help: "Use the credentials for Digest authentication, when the server asks for it, instead of Basic.")
    var digestAuth = false

    func validate() throws {
        if given.user == nil, digestAuth {
            throw ValidationError("--digest-auth needs credentials: give them with --user.")
        }
    }

    /// Whether there is something that only one server may see.
    var isGiven: Bool { given.user != nil || given.auth != nil }
}

/// How much is said on standard error.
struct TransferOutputOptions: ParsableArguments {
    @Flag(help: "Show no progress, and write nothing but errors to standard error.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Show what goes out and comes in, secrets masked, and how long each phase takes, instead of bars."
    )
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("Only one of --quiet and --verbose can be used.") }
    }
}
