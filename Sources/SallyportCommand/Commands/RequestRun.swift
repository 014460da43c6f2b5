import Foundation
import Sallyport

/// Runs a command that sends one request. Its options have been checked.
struct RequestRun: Sendable {
    let request: HttpRequest
    let configuration: HttpClientConfiguration
    private let options: any RequestRunOptions
    private let jar: CookieJar
    private let login: Login?
    private let credentials: [ServerCredentials]
    /// The URL of the proxy with its user and password.
    private let proxyURL: String?
    /// The capture of the requests with `--har` and `--inspect`.
    private let traffic: TrafficCapture?
    /// The path of the file for the body of the response; `nil` for standard output.
    private let outputPath: String?
    /// The output of `--write-out` and `--timings`.
    private let report: CallReport?

    /// - Throws: ``CommandFailure`` for the first option that cannot be used. In that case, nothing has been sent or
    ///   written.
    init(method: HttpMethod, _ options: any RequestRunOptions) async throws {
        self.options = options
        outputPath = try options.destination.path(for: options.url)
        request = try await HttpRequest(method: method, options)
        jar = try options.cookies.makeJar()
        let scheme = options.scheme
        // For --curl, the password is not needed: curl itself asks for it.
        credentials = try await options.credentials.credentials(
            for: [options.address],
            scheme: scheme.option,
            asksForPassword: !options.output.curl
        )
        let verbose = options.verboseInterceptor
        proxyURL = try await options.proxy.urlWithUser()
        report = try await CallReport(options.output, url: options.url, filename: outputPath)
        var configuration = try await options.clientConfiguration(
            authentication: credentials.compactMap { $0.interceptor(usingDigest: scheme.digest) },
            jar: jar,
            decoding: options.codings(writingTo: outputPath),
            verbose: verbose,
            recordsDetails: report != nil || options.output.har != nil || options.output.inspect,
            profile: options.credentials.auth,
            proxyURL: proxyURL,
            asksForPassword: !options.output.curl
        )
        if let report { configuration.addWireInterceptor(report.measurements) }
        configuration.isTraced = options.output.stages
        options.retries.apply(to: &configuration, standard: options.standardRetries)
        if options.retries.retryAllErrors {
            configuration.maximumBodySize = RetryOptions.maximumBodySize
            options.connection.limit.apply(to: &configuration)
        }
        let traffic = try TrafficCapture(options.output)
        self.traffic = traffic
        if let traffic { configuration.recorder = traffic.recorder }
        if let limit = try options.connection.rateLimit() { configuration.addWireInterceptor(limit) }
        if options.usesCache, !options.output.curl { configuration.cache = ResponseCache.open() }
        self.configuration = configuration
        login = try options.credentials.auth.map { name in
            try Login(name, for: [options.url]) { config in
                if let verbose { config.addWireInterceptor(verbose) }
                if let traffic { config.recorder = traffic.recorder }
            }
        }
    }

    /// Sends the request, writes the response, and reports on the call.
    func run() async throws {
        var trace: InterceptorTrace?
        var unfollowed: CommandFailure?
        defer { if let trace { TraceOutput.show(trace, options.output.color) } }
        let output = try ResponseOutput(path: outputPath, isRaw: options.output.raw)
        func write(_ response: HttpResponse) async throws {
            trace = response.trace
            unfollowed = unfollowedRedirect(response)
            if options.output.verbose { VerboseInterceptor.showCacheStatus(of: response, options.output.color) }
            let writer = ResponseWriter(
                style: options.output.style(includesHead: options.destination.include),
                output: output,
                failure: options.output.failure,
                measurements: report?.measurements
            )
            try await writer.write(response)
        }
        try await withClient(configuration) { client in
            do {
                try await reporting {
                    if repeatsCutBodies {
                        // Only a complete body is written, so that the request can be repeated if the body breaks off.
                        try await write(try await collected(with: client))
                    } else {
                        try await client.stream(request: request) { try await write($0) }
                    }
                    try await output.finish()
                }
            } catch {
                if let error = error as? NetworkError { trace = trace ?? error.trace }
                output.discard()
                throw error
            }
        }
        if let unfollowed { throw unfollowed }
    }

    /// A Boolean value that indicates whether a body that breaks off is requested again. Nothing of a body is written before it is complete
    /// then.
    private var repeatsCutBodies: Bool { options.retries.retryAllErrors && configuration.retry != nil }

    private func collected(with client: HttpClient) async throws -> HttpResponse {
        do throws(NetworkError) {
            return try await client.request(request: request)
        } catch {
            guard case .responseTooLarge(var failure) = error else { throw error }
            failure.advice =
                "omit --retry-all-errors, or use sallyport download, which continues a body that breaks off"
            throw NetworkError.responseTooLarge(failure)
        }
    }

    /// Returns the failure of a redirect that was to be followed, but leads to a scheme that is not supported; `nil` if there is none. It
    /// does not quote the URL, because a URL that opens an app can contain secrets.
    private func unfollowedRedirect(_ response: HttpResponse) -> CommandFailure? {
        guard options.connection.redirectLimit != nil, let target = Redirect.target(of: response),
            let scheme = RequestTarget.scheme(of: target), !["http", "https"].contains(scheme)
        else { return nil }
        let problem = "the redirect to a URL with the scheme \(scheme) was not followed"
        return CommandFailure(.other, "\(response.request): \(problem); -i shows it in the field Location")
    }

    private func reporting(_ work: () async throws -> Void) async throws {
        if let report { try await report.run(work) } else { try await work() }
    }

    /// Runs a closure with a client that attaches the tokens of the login, if there is one. Stores refreshed tokens and the
    /// cookies afterwards, even if the closure fails.
    ///
    /// - Throws: The closure's error, or a failure with the command to log in if a login is missing.
    func withClient(
        _ configuration: HttpClientConfiguration,
        _ body: (HttpClient) async throws -> Void
    ) async throws {
        if let traffic { return try await traffic.run { try await withOpenClient(configuration, body) } }
        try await withOpenClient(configuration, body)
    }

    private func withOpenClient(
        _ configuration: HttpClientConfiguration,
        _ body: (HttpClient) async throws -> Void
    ) async throws {
        options.security.warnIfInsecure(for: options.url)
        let plain = HttpClient(configuration: configuration)
        defer { plain.close() }
        let end = options.connection.timeout.map { ContinuousClock.now + .seconds($0) }
        do {
            try await body(try login?.authorizingWithStepUp(plain) ?? plain)
        } catch {
            await login?.finishReporting()
            try? options.cookies.save(jar)
            throw login?.explaining(error) ?? error
        }
        let saved = Result { try options.cookies.save(jar) }
        try await login?.finish(by: end)
        try saved.get()
    }

    /// Prints a curl command that sends the same request.
    ///
    /// - Parameters:
    ///   - arguments: Further arguments for curl.
    ///   - change: A closure that changes the request before it is printed.
    func printCurl(adding arguments: [String] = [], _ change: (inout HttpRequest) -> Void = { _ in }) async throws {
        let usesDigest = options.scheme.digest
        let showsSecrets = options.output.showSecrets
        var request = request
        for credentials in credentials { request = try credentials.applied(to: request, usingDigest: usesDigest) }
        change(&request)
        let parts = options.body?.form ?? []
        if !parts.isEmpty {
            // curl chooses the boundary itself.
            request.body = .none
            request.removeBoundary()
        }
        let command = request.curlDescription(showingSecrets: showsSecrets)
        let all =
            parts.flatMap { $0.curlArguments(showingSecrets: showsSecrets) }
            + credentials.flatMap { $0.curlArguments(usingDigest: usesDigest, showingSecrets: showsSecrets) }
            + options.curlArguments(proxyURL: proxyURL) + arguments
        print(([command] + all.map(ShellText.quoted)).joined(separator: " "))
    }
}

extension HttpRequest {
    fileprivate init(method: HttpMethod, _ options: any RequestRunOptions) async throws {
        try options.checkURL(options.url)
        self.init(url: options.url)
        try await options.body?.apply(to: &self)
        try options.head.apply(try await options.head.headers(), to: &self)
        options.cookies.apply(to: &self)
        options.destination.apply(to: &self)
        options.retries.apply(to: &self)
        // As in curl, a raw body is not decoded, so the client does not request the encodings that it decodes.
        if options.output.compressed, options.output.raw, getHeader(name: "Accept-Encoding") == nil {
            setHeader(name: "Accept-Encoding", value: DecodedCodings.acceptEncoding)
        }
        setMethod(method)
        timeouts = options.connection.timeouts
        _ = try head()
    }
}

extension RequestRunOptions {
    /// Returns curl's arguments for sending the request and writing its response in the same manner.
    fileprivate func curlArguments(proxyURL: String?) -> [String] {
        var arguments: [String] = []
        func add(_ name: String, _ value: String?) { if let value { arguments += [name, value] } }
        if let follow = connection.redirectLimit { arguments += ["--location", "--max-redirs", "\(follow)"] }
        add("--max-time", connection.timeout.map { "\($0)" })
        add("--limit-rate", connection.limitRate.map { "\($0)" })
        add("--connect-timeout", connection.connectTimeout.map { "\($0)" })
        for override in connection.resolve {
            add("--resolve", "\(override.host):\(override.port):\(override.addresses.joined(separator: ","))")
        }
        add("--unix-socket", connection.unixSocket)
        switch connection.version {
        case .http1: arguments.append("--http1.1")
        case .http2: arguments.append("--http2")
        case .onlyHTTP2: arguments.append("--http2-prior-knowledge")
        case nil: break
        }
        arguments += retries.curlArguments
        arguments += pins.curlArguments(for: url)
        arguments += proxy.curlArguments(proxyURL, showingSecrets: output.showSecrets)
        add("--cacert", security.authorities)
        arguments += security.curlArguments
        for file in cookies.cookie where !file.contains("=") { add("--cookie", file) }
        add("--cookie", cookies.cookieJar)
        add("--cookie-jar", cookies.cookieJar)
        add("--output", destination.output)
        add("--write-out", output.writeOut)
        let flags = [
            (output.compressed, "--compressed"), (output.fail, "--fail"), (output.failWithBody, "--fail-with-body"),
            (destination.include == true, "--include"), (output.verbose, "--verbose"),
            (destination.remoteName, "--remote-name"), (security.insecure, "--insecure"),
            (connection.usesIPv4, "--ipv4"), (connection.usesIPv6, "--ipv6"),
        ]
        return arguments + flags.filter(\.0).map(\.1)
    }
}

extension PartArgument {
    /// Returns curl's arguments for the part.
    fileprivate func curlArguments(showingSecrets: Bool) -> [String] {
        let attributes =
            (contentType.map { ";type=\($0)" } ?? "") + (filename.map { ";filename=" + Self.quoted($0) } ?? "")
            + headers.map { ";headers=" + $0.curlText(showingSecrets: showingSecrets, quoting: Self.quoted) }.joined()
        switch source {
        case .file(let path) where isText: return ["--form", "\(name)=<\(Self.quoted(path))\(attributes)"]
        case .file(let path): return ["--form", "\(name)=@\(Self.quoted(path))\(attributes)"]
        case .text(let text):
            let text = showingSecrets ? text : Redaction.value(text, of: name)
            if attributes.isEmpty { return ["--form-string", "\(name)=\(text)"] }
            return ["--form", "\(name)=\(Self.quoted(text))\(attributes)"]
        case .standardInput: return ["--form", "\(name)=\(isText ? "<" : "@")-\(attributes)"]
        }
    }

    /// Quotes a value of curl's `--form`, which would otherwise end at a semicolon or comma, and name a file after `<`.
    private static func quoted(_ text: String) -> String {
        if !text.contains(where: { ";,\"\\<@( ".contains($0) }) { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension HeaderSource {
    /// Returns the value of curl's `headers=` in `--form`.
    fileprivate func curlText(showingSecrets: Bool, quoting: (String) -> String) -> String {
        switch self {
        case .header(let header):
            let value = header.value.trimmingCharacters(in: .whitespaces)
            return quoting("\(header.name): \(showingSecrets ? value : Redaction.value(value, of: header.name))")
        case .lines(_, let name): return "@" + quoting(name == "standard input" ? "-" : name)
        }
    }
}
