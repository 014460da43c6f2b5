import Foundation

/// Servers that `.ci/real-servers` has started; the tests that call them are skipped where it has not.
enum RealServer {
    static let nginx = ProcessInfo.processInfo.environment["SALLYPORT_NGINX"]
    static let nginxFiles = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_FILES"]
    /// The same files over TLS, and the authority of its certificate.
    static let nginxTLS = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_TLS"]
    static let nginxAuthority = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_CA"]

    static let squid = ProcessInfo.processInfo.environment["SALLYPORT_SQUID"]
    /// As it stands in a URL, as the next.
    static let squidUser = ProcessInfo.processInfo.environment["SALLYPORT_SQUID_USER"]

    static let socks = ProcessInfo.processInfo.environment["SALLYPORT_SOCKS"]
    static let socksWithUser = ProcessInfo.processInfo.environment["SALLYPORT_SOCKS_WITH_USER"]
    static let socksUser = ProcessInfo.processInfo.environment["SALLYPORT_SOCKS_USER"]
    static let mitmproxy = ProcessInfo.processInfo.environment["SALLYPORT_MITMPROXY"]
    static let mitmproxyFiles = ProcessInfo.processInfo.environment["SALLYPORT_MITMPROXY_FILES"]
    static let httpbin = ProcessInfo.processInfo.environment["SALLYPORT_HTTPBIN"]
}
