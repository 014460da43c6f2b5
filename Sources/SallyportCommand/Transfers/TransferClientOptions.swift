import ArgumentParser
import Sallyport

/// What is said of the client that makes transfers.
struct TransferClientOptions: ParsableArguments, ClientOptions {
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

    /// A compressed answer could not be gone on with.
    var decodesContent: Bool { false }

    var isVerbose: Bool { output.verbose }

    /// How long everything may take.
    var timeout: Duration? { connection.timeout.map(Duration.seconds) }

    /// The limits of one request. The one on everything is the transfer's, which may be several.
    var timeouts: Timeouts {
        var timeouts = connection.timeouts
        timeouts.total = nil
        return timeouts
    }

    /// The display for what standard error is.
    var display: TransferDisplay { TransferDisplay(.init(quiet: output.quiet, verbose: output.verbose)) }
}

/// As whom to appear to the server. `--digest` is another thing here: that of the file.
struct TransferAuthenticationOptions: ParsableArguments {
    @OptionGroup
    var given: CredentialOptions

    @Flag(help: "Use the credentials for Digest authentication, when the server asks for it, instead of Basic.")
    var digestAuth = false

    /// The option that chooses how the credentials are used, if it was given.
    var scheme: String? { digestAuth ? "--digest-auth" : nil }
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
