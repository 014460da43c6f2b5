import SallyportTransport

/// Refuses requests over plain HTTP to other computers, unless the client allows them.
struct PlainHTTPRule: Sendable {
    private let isAllowed: Bool
    /// `true` if the transport is the platform's and connects to each host itself: requests to loopback addresses then stay here.
    private let isDirect: Bool

    init(_ configuration: HttpClientConfiguration) {
        let isPlatforms = configuration.transport == nil
        let settings = configuration.transportConfiguration
        // Other computers cannot be reached through a Unix domain socket.
        isAllowed = configuration.allowsPlainHTTP || isPlatforms && settings.unixSocketPath != nil
        isDirect = isPlatforms && settings.proxy == .direct && settings.addressOverrides.isEmpty
    }

    /// Checks a request, and returns `true` if the transport must check that it sends the request to this computer directly. Only the
    /// transport knows whether it would use a proxy.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the request is for another computer.
    func confines(_ target: RequestTarget) throws(NetworkError) -> Bool {
        if isAllowed || target.scheme == "https" { return false }
        // Usual names of this computer need no parsing.
        if isDirect, target.authority.hasPrefix("127.0.0.1:") || target.authority.hasPrefix("localhost:") {
            return false
        }
        guard let parts = HostAndPort(target.authority[...]) else { return true }
        let origin = Origin(scheme: .http, host: parts.host, port: parts.port ?? 80)
        if origin.isLoopback { return !isDirect }
        throw .invalidRequest(
            NetworkFailure(
                "the client does not allow plain HTTP, except to loopback addresses, and \(origin.authority) is another computer",
                advice: SettingAdvice.allowPlainHTTP.rawValue
            )
        )
    }
}
