import SallyportTransport

/// Shortcuts to the most frequently used settings of the platform's transport.
extension HttpClientConfiguration {
    /// The public keys that servers are required to have, by host; see ``CertificatePins``.
    ///
    /// They are added to the pins of ``transport``. If there are any pins, a transport that is set must be a ``PinningTransport``.
    public var pins: CertificatePins {
        get { transportConfiguration.security.pins }
        set { transportConfiguration.security.pins = newValue }
    }

    /// The proxies for calls. The default is none, even if the environment has some: ``ProxyPolicy/environment`` uses those.
    public var proxy: ProxyPolicy {
        get { transportConfiguration.proxy }
        set { transportConfiguration.proxy = newValue }
    }

    /// The versions of HTTP that the client uses.
    public var httpVersions: HTTPVersionPolicy {
        get { transportConfiguration.httpVersions }
        set { transportConfiguration.httpVersions = newValue }
    }

    /// The failure of every call if the configuration has pins and a transport that would ignore them; otherwise `nil`.
    var pinsProblem: NetworkFailure? {
        guard let transport, !pins.entries.isEmpty, !(transport is any PinningTransport) else { return nil }
        return NetworkFailure(
            "the configuration has pins and a transport that does not support them",
            advice: "configure the transport with the pins instead"
        )
    }
}
