import ArgumentParser
import Sallyport

/// The options that describe one request and the output of its response.
protocol RequestRunOptions: HttpClientOptions {
    /// The URL that the request is sent to.
    var address: RequestURL { get }

    /// The header fields and query parameters of the request.
    var head: HeadOptions { get }

    /// The body of the request; `nil` if the command sends none.
    var body: ContentOptions? { get }

    /// The credentials for the server.
    var credentials: CredentialOptions { get }

    /// The authentication scheme for the credentials.
    var scheme: AuthenticationSchemeOptions { get }

    /// The destination of the response.
    var destination: ResponseDestinationOptions { get }

    /// The format of the output.
    var output: OutputOptions { get }

    /// `true` if the command itself interprets the bodies of responses.
    var interpretsBody: Bool { get }

    /// The retry policy of the command without options; `nil` if it retries nothing by default.
    var standardRetries: RetryPolicy? { get }

    /// A Boolean value that indicates whether responses are stored, and used instead of sending the request again.
    var usesCache: Bool { get }
}

extension RequestRunOptions {
    var standardRetries: RetryPolicy? { nil }

    /// The URL that the request is sent to, without user and password.
    var url: String { address.text }

    var interpretsBody: Bool { false }

    /// The interceptor that shows the request and its response, with `--verbose`.
    var verboseInterceptor: VerboseInterceptor? {
        guard output.verbose else { return nil }
        return VerboseInterceptor(
            asksForCompression: output.compressed && !output.raw,
            followsRedirects: connection.redirects != .refuse,
            color: output.color
        )
    }

    /// Returns the content codings to decode. A body that the command shows in a readable form is always decoded.
    ///
    /// - Parameter path: The path of the file for the body; `nil` for standard output.
    func codings(writingTo path: String?) -> DecodedCodings {
        if output.compressed, !output.raw { return .requested }
        return interpretsBody || output.showsBody(writtenTo: path) ? .unrequested : .none
    }

    /// - Throws: A usage error if options of different groups exclude each other.
    func checkCombinations() throws {
        try StandardInputUses.check(
            head.standardInputUses + (body?.standardInputUses ?? []) + credentials.standardInputUses
                + proxy.standardInputUses + security.standardInputUses + output.standardInputUses
        )
        try checkVerification(with: credentials)
        if standardRetries == nil { try retries.checkCount() }
        if security.insecure, usesCache {
            throw ValidationError(
                "--insecure cannot be used with --cache, which would store the response; omit --cache."
            )
        }
        if credentials.auth != nil, output.curl {
            throw ValidationError(
                "--curl cannot print the token of a login: run curl with --oauth2-bearer \"$(sallyport token)\"."
            )
        }
    }
}
