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
    /// No server, but a program that nobody here wrote either.
    static let zbarimg = ProcessInfo.processInfo.environment["SALLYPORT_ZBARIMG"]
    static let httpbin = ProcessInfo.processInfo.environment["SALLYPORT_HTTPBIN"]
}

extension RealServer {
    /// nghttpd in cleartext, another that echoes uploads, and one over TLS with the authority of its certificate.
    static let nghttpd = ProcessInfo.processInfo.environment["SALLYPORT_NGHTTPD"]
    static let nghttpdEcho = ProcessInfo.processInfo.environment["SALLYPORT_NGHTTPD_ECHO"]
    static let nghttpdTLS = ProcessInfo.processInfo.environment["SALLYPORT_NGHTTPD_TLS"]
    static let nghttpdAuthority = ProcessInfo.processInfo.environment["SALLYPORT_NGHTTPD_CA"]
    static let nghttpdFiles = ProcessInfo.processInfo.environment["SALLYPORT_NGHTTPD_FILES"]

    /// nginx over HTTP/2: as usual, with two streams at a time, and with a hundred requests to a connection.
    static let nginxHTTP2 = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2"]
    static let nginxHTTP2Few = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_FEW"]
    static let nginxHTTP2Short = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_SHORT"]
    static let nginxHTTP2Authority = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_CA"]
    /// One that refuses streams with a body at first, and its log.
    static let nginxHTTP2Refusing = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_REFUSING"]
    static let nginxHTTP2Log = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_LOG"]
    /// The configuration that the running nginx is told to load again.
    static let nginxHTTP2Configuration = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_CONF"]
}

extension RealServer {
    /// The issuer of Glewlwyd, the cookies of a person who has signed in there, and the key of the client `jwe`.
    static let glewlwyd = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD"]
    static let glewlwydCookies = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD_COOKIES"]
    static let glewlwydKey = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD_KEY"]
}

extension RealServer {
    /// The gateway, run by the command, and the key of its client `jwe`.
    static let gateway = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY"]
    /// The same over TLS, and the authority of its certificate.
    static let gatewayTLS = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_TLS"]
    static let gatewayAuthority = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_CA"]
    static let gatewayKey = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_KEY"]
}

extension RealServer {
    /// Parsers of forms, a path each: `/multipart`, `/werkzeug`, `/django`.
    static let multipart = ProcessInfo.processInfo.environment["SALLYPORT_MULTIPART"]
}
