import Sallyport

/// What is said of the client that sends the requests of a command.
protocol ClientOptions: Sendable {
    var cookies: CookieOptions { get }
    var connection: ConnectionOptions { get }
    var proxy: ProxyOptions { get }
    var security: SecurityOptions { get }
    var pins: PinOptions { get }

    /// Whether compressed responses are asked for, and decoded.
    var decodesContent: Bool { get }

    /// Whether what goes out and comes in is shown.
    var isVerbose: Bool { get }
}

extension ClientOptions {
    /// - Throws: A failure that names what is wrong with a URL, or with the pins for its host.
    func check(_ url: String) throws {
        try RequestURL.check(url)
        try pins.check(for: url, followsRedirects: connection.follow != nil)
    }
}

extension HttpClientConfiguration {
    /// - Throws: A failure that names a file that cannot be used; `CancellationError`.
    init(_ options: some ClientOptions, authentication: [any Interceptor], jar: CookieJar) async throws {
        self.init()
        cookieJar = jar
        redirects = options.connection.redirects
        var security = try options.security.transportSecurity()
        security.pins = try options.pins.certificatePins()
        let wire = TransportConfiguration(
            security: security,
            httpVersions: options.connection.version?.policy ?? .automatic,
            addressOverrides: options.connection.resolve,
            proxy: try await options.proxy.policy(),
            decodesContent: options.decodesContent
        )
        self.authentication = authentication
        if let choice = options.connection.transport {
            transport = choice.make(wire)
        } else {
            transportConfiguration = wire
        }
        showExchanges(options)
    }

    /// Shows what goes out and comes in, if that is asked for.
    mutating func showExchanges(_ options: some ClientOptions) {
        if options.isVerbose { addWireInterceptor(VerboseInterceptor(asksForCompression: options.decodesContent)) }
    }
}
