import SallyportTransport

/// What the platform's own transport is told most often, by short names.
extension HttpClientConfiguration {
    /// The keys that servers have to have, by host; see ``CertificatePins``.
    public var pins: CertificatePins {
        get { transportConfiguration.security.pins }
        set { transportConfiguration.security.pins = newValue }
    }

    /// Which calls go through a proxy; none, unless set.
    public var proxy: ProxyPolicy {
        get { transportConfiguration.proxy }
        set { transportConfiguration.proxy = newValue }
    }

    /// Which versions of HTTP are spoken.
    public var httpVersions: HTTPVersionPolicy {
        get { transportConfiguration.httpVersions }
        set { transportConfiguration.httpVersions = newValue }
    }

    /// A transport of the app's own has been told its pins when it was made: others would protect nothing.
    var pinsProblem: NetworkFailure? {
        guard transport != nil, !pins.entries.isEmpty else { return nil }
        return NetworkFailure(
            "there are pins in the configuration of a client that has been given its transport",
            advice: "give the pins to the transport when it is made"
        )
    }
}
