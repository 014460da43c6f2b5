import SallyportTransport

extension HttpClient {
    /// Makes a client that shares this one's connections, and its configuration but for what the closure changes.
    ///
    /// Cookies are shared too, unless the closure sets another jar. This client's end is the other's as well, but not the
    /// other way round; see ``close()``. It lives for as long as the other does.
    ///
    /// ```swift
    /// let reports = client.derived { config in config.timeout = 120 }
    /// ```
    ///
    /// - Parameter configure: Changes the configuration. The transport and what it is told are this client's: another
    ///   transport, pins or proxy fail every call with ``NetworkError/invalidRequest(_:)``.
    /// - Throws: What the closure throws.
    public func derived(_ configure: (inout HttpClientConfiguration) throws -> Void) rethrows -> HttpClient {
        var configuration = configuration
        configuration.transport = nil
        try configure(&configuration)
        let isOwn = configuration.transport != nil
        if isOwn || configuration.pins.entries != pins.entries || configuration.proxy != self.configuration.proxy {
            configuration.problem = NetworkFailure(
                "a client that shares the connections of another has been given a transport, pins or a proxy of its own",
                advice: "set them where the other is made, or make a client of its own with createClient"
            )
        }
        configuration.transport = self.configuration.transport
        return HttpClient(configuration: configuration, sharingConnectionsOf: self)
    }

    private var pins: CertificatePins { configuration.pins }
}
