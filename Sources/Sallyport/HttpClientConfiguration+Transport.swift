import SallyportTransport

/// Shortcuts to the most frequently used settings of the platform's transport.
extension HttpClientConfiguration {
    /// The public keys that servers are required to have, by host; see ``CertificatePins``.
    public var pins: CertificatePins {
        get { transportConfiguration.security.pins }
        set { transportConfiguration.security.pins = newValue }
    }

    /// The proxies for calls. The default is none.
    public var proxy: ProxyPolicy {
        get { transportConfiguration.proxy }
        set { transportConfiguration.proxy = newValue }
    }

    /// The versions of HTTP that the client uses.
    public var httpVersions: HTTPVersionPolicy {
        get { transportConfiguration.httpVersions }
        set { transportConfiguration.httpVersions = newValue }
    }

    /// The failure of a configuration with both a transport and pins, which that transport would ignore.
    var pinsProblem: NetworkFailure? {
        guard transport != nil, !pins.entries.isEmpty else { return nil }
        return NetworkFailure(
            "the configuration has pins as well as a transport, which does not use them",
            advice: "configure the transport with the pins instead"
        )
    }
}
