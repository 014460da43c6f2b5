import ArgumentParser
import Foundation
import Sallyport

/// The options that configure the client of a command that transfers files.
protocol TransferClientOptions: HttpClientOptions {
    /// The credentials for the server.
    var credentials: CredentialOptions { get }

    /// The authentication scheme for the credentials.
    var scheme: TransferSchemeOptions { get }

    /// The options for the output on standard error.
    var output: TransferOutputOptions { get }
}

extension TransferClientOptions {
    /// The time limit for the entire command.
    var timeout: Duration? { connection.timeout.map(Duration.seconds) }

    /// The time limits of one request. The total limit applies to the transfer, which may consist of several requests.
    var timeouts: Timeouts {
        var timeouts = connection.timeouts
        timeouts.total = nil
        return timeouts
    }

    /// The display on standard error.
    var display: TransferDisplay { TransferDisplay(.init(quiet: output.quiet, verbose: output.verbose)) }

    /// The interceptor that shows requests and responses, with `--verbose`. Transfers never request compressed
    /// responses, because these cannot be resumed.
    var verboseInterceptor: VerboseInterceptor? {
        output.verbose
            ? VerboseInterceptor(asksForCompression: false, followsRedirects: connection.redirects != .refuse) : nil
    }
}

/// The authentication scheme for the credentials of a transfer. `--digest` is the digest of the file here.
struct TransferSchemeOptions: ParsableArguments {
    @Flag(help: "Use the credentials for Digest authentication when the server requests it, instead of Basic.")
    var digestAuth = false

    /// The option that selected the scheme, if any.
    var option: String? { digestAuth ? "--digest-auth" : nil }
}

/// The options for the output on standard error.
struct TransferOutputOptions: ParsableArguments {
    @Flag(help: "Show no progress, and write only errors to standard error.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Show requests, responses and the time of each phase instead of progress bars, with secrets masked."
    )
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("Only one of --quiet and --verbose can be used.") }
    }
}

/// The options for the requests of transfers.
struct TransferRequestOptions: ParsableArguments, TransferClientOptions {
    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup(title: "Authentication Options")
    var credentials: CredentialOptions

    @OptionGroup(title: "Authentication Options")
    var scheme: TransferSchemeOptions

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

    /// The options that read standard input.
    var standardInputUses: [String] {
        head.standardInputUses + credentials.standardInputUses + proxy.standardInputUses
            + security.standardInputUses
    }

    func validate() throws {
        try StandardInputUses.check(standardInputUses)
        try checkVerification(with: credentials)
    }

    /// Returns a request for a URL, without a body.
    ///
    /// - Parameters:
    ///   - headers: The headers of ``head``.
    ///   - recipients: The server that receives the secrets of the options.
    ///   - withheld: The names of withheld secrets. The function adds the names that this request withholds.
    /// - Throws: A failure that describes what is wrong with the request.
    func request(
        to url: String,
        _ headers: [HeaderArgument],
        _ recipients: SecretRecipients,
        withheld: inout Set<String>
    ) throws -> HttpRequest {
        try checkURL(url)
        var request = HttpRequest(url: url)
        try apply(headers, to: &request)
        _ = try request.head()
        withheld.formUnion(try recipients.withhold(from: &request))
        return request
    }

    /// Applies all options to a request that has its method and body.
    func apply(_ headers: [HeaderArgument], to request: inout HttpRequest) throws(CommandFailure) {
        try head.apply(headers, to: &request)
        cookies.apply(to: &request)
        request.timeouts = timeouts
    }
}
