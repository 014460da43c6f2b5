import Foundation
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Returns a configuration without cookies, credentials and cache. Exchanges implement their own timeouts.
    static func sallyport(
        _ configuration: TransportConfiguration,
        _ protocolClasses: [URLProtocol.Type]
    ) -> URLSessionConfiguration {
        let session = URLSessionConfiguration.ephemeral
        session.protocolClasses = protocolClasses + (session.protocolClasses ?? [])
        session.httpCookieStorage = nil
        session.httpShouldSetCookies = false
        session.httpCookieAcceptPolicy = .never
        session.urlCache = nil
        session.urlCredentialStorage = nil
        session.requestCachePolicy = .reloadIgnoringLocalCacheData
        session.httpMaximumConnectionsPerHost = max(configuration.connections.perHost, 1)
        session.timeoutIntervalForRequest = longestTimeout
        session.timeoutIntervalForResource = longestTimeout
        #if canImport(Darwin)
        session.tlsMinimumSupportedProtocolVersion =
            configuration.security.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
        #endif
        return session
    }

    /// A week: longer than any call, and short enough for Foundation's milliseconds on Linux.
    static let longestTimeout: TimeInterval = 604_800
}
