import ArgumentParser
import Sallyport
import SallyportCompression
import SallyportTransport

/// The content codings that a command decodes.
enum DecodedCodings: Sendable {
    /// None: the command passes the body on as it was sent.
    case none
    /// Those that a server uses without having been asked, because the command interprets the body.
    case unrequested
    /// Those that the command requests.
    case requested

    /// The codings besides gzip and deflate.
    static let added: [ContentCoding] = {
        #if Compression && os(Linux)
        [.brotli, .zstandard]
        #else
        []
        #endif
    }()

    /// The value of Accept-Encoding with `--compressed`.
    static let acceptEncoding = (["gzip", "deflate"] + added.map(\.name)).joined(separator: ", ")
}

/// The options that configure the HTTP client of a command.
///
/// Only a command, or a group directly in a command, may declare these groups. In debug builds, each further level of
/// nesting makes the argument parser evaluate them about five times as often.
protocol HttpClientOptions: Sendable {
    /// The cookies to send, and the file that stores cookies.
    var cookies: CookieOptions { get }

    /// The time limits, redirects, addresses, HTTP version and transport.
    var connection: ConnectionOptions { get }

    /// The number of retries, and the requests that can be retried.
    var retries: RetryOptions { get }

    /// The proxy for all connections.
    var proxy: ProxyOptions { get }

    /// The settings of TLS connections.
    var security: SecurityOptions { get }

    /// The pinned keys of servers.
    var pins: PinOptions { get }
}

extension HttpClientOptions {
    /// Checks a URL and the pins for its host.
    ///
    /// - Throws: A failure with the problem.
    func checkURL(_ url: String) throws {
        try RequestURL.check(url)
        try pins.check(for: url, followsRedirects: connection.redirectLimit != nil)
        if security.insecure, !pins.pins.isEmpty {
            throw CommandFailure(.usage, "--insecure cannot be used with --pin; omit --insecure to check the pins")
        }
    }

    /// Checks that the token of a login is not sent to a server that is not verified.
    ///
    /// - Throws: A usage error.
    func checkVerification(with credentials: CredentialOptions) throws {
        if security.insecure, credentials.auth != nil {
            throw ValidationError(
                "--insecure cannot be used with --auth, because anyone could receive the token; omit --insecure, or pass the "
                    + "server's certificate with --cacert."
            )
        }
    }

    /// Returns the configuration of the client, without the settings of ``RetryOptions``.
    ///
    /// - Parameters:
    ///   - authentication: The interceptors that attach credentials.
    ///   - jar: The jar that stores cookies.
    ///   - decoding: The content codings that the client decodes.
    ///   - verbose: The interceptor that shows requests and responses, if any.
    ///   - recordsDetails: If `true`, the details of connections are recorded even without `verbose`.
    ///   - profile: The profile whose authorities are trusted if there is no option for others.
    ///   - proxyURL: The result of ``ProxyOptions/urlWithUser()``.
    ///   - asksForPassword: If `true`, asks for a missing password of a private key.
    /// - Throws: A failure that names a file that cannot be used.
    func clientConfiguration(
        authentication: [any Interceptor],
        jar: CookieJar,
        decoding: DecodedCodings,
        verbose: VerboseInterceptor?,
        recordsDetails: Bool = false,
        profile: ProfileName?,
        proxyURL: String?,
        asksForPassword: Bool = true
    ) async throws -> HttpClientConfiguration {
        if connection.unixSocket != nil, proxy.proxy != nil {
            throw CommandFailure(.usage, "only one of --unix-socket and --proxy can be used; omit one of them")
        }
        var configuration = HttpClientConfiguration()
        configuration.cookieJar = jar
        // The user has typed the scheme. Tokens are not attached to requests over plain HTTP.
        configuration.allowsPlainHTTP = true
        // These headers identify apps that use the SDK.
        configuration.standardHeaders = StandardHeaders(requestedWith: nil, requestedPlatform: nil)
        configuration.redirects = connection.redirects
        configuration.authentication = authentication
        var transportSecurity = try await security.transportSecurity(
            profile: profile,
            asksForPassword: asksForPassword
        )
        transportSecurity.pins = try pins.certificatePins()
        var wire = TransportConfiguration(
            security: transportSecurity,
            httpVersions: connection.version?.policy ?? .automatic,
            addressOverrides: connection.resolve,
            proxy: try proxy.policy(proxyURL),
            unixSocketPath: connection.unixSocket,
            decodesContent: decoding != .none
        )
        wire.requestsContentCodings = decoding == .requested
        if decoding != .none { wire.contentCodings = DecodedCodings.added }
        connection.limit.apply(to: &wire)
        connection.limit.apply(to: &configuration)
        // A login's token requires https in any case.
        configuration.allowsPlainHTTP = profile == nil
        wire.recordsConnectionDetails = recordsDetails || verbose != nil || configuration.recorder != nil
        wire.addressFamily = connection.addressFamily
        // Only the engine has these settings.
        let needsEngine =
            security.insecure || connection.addressFamily != nil || connection.unixSocket != nil
        if let choice = connection.transport ?? (needsEngine ? .engine : nil) {
            configuration.transport = choice.make(wire)
        } else {
            configuration.transportConfiguration = wire
        }
        if let verbose { configuration.addWireInterceptor(verbose) }
        return configuration
    }
}
