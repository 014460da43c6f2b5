import Foundation

/// The servers that `.ci/real-servers` has started. Tests of servers that have not been started are skipped.
enum RealServer {
    static let nginx = ProcessInfo.processInfo.environment["SALLYPORT_NGINX"]
    static let nginxFiles = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_FILES"]
    /// The same files over TLS, and the authority of its certificate.
    static let nginxTLS = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_TLS"]
    static let nginxAuthority = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_CA"]

    static let squid = ProcessInfo.processInfo.environment["SALLYPORT_SQUID"]
    /// The address of squid for connections over TLS.
    static let squidTLS = ProcessInfo.processInfo.environment["SALLYPORT_SQUID_TLS"]
    /// The user and password of squid, escaped for a URL; those of the SOCKS server below are too.
    static let squidUser = ProcessInfo.processInfo.environment["SALLYPORT_SQUID_USER"]

    static let socks = ProcessInfo.processInfo.environment["SALLYPORT_SOCKS"]
    static let socksWithUser = ProcessInfo.processInfo.environment["SALLYPORT_SOCKS_WITH_USER"]
    static let socksUser = ProcessInfo.processInfo.environment["SALLYPORT_SOCKS_USER"]
    static let mitmproxy = ProcessInfo.processInfo.environment["SALLYPORT_MITMPROXY"]
    static let mitmproxyFiles = ProcessInfo.processInfo.environment["SALLYPORT_MITMPROXY_FILES"]
    /// The path of zbarimg, a program that reads QR codes.
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
    /// An nginx that refuses streams with a body until its settings are acknowledged, and its log.
    static let nginxHTTP2Refusing = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_REFUSING"]
    static let nginxHTTP2Log = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_LOG"]
    /// The configuration that the running nginx reloads.
    static let nginxHTTP2Configuration = ProcessInfo.processInfo.environment["SALLYPORT_NGINX_HTTP2_CONF"]
}

extension RealServer {
    /// A Python with jsonschema, the script that checks HAR files, and the program of mitmproxy that replays them.
    static let harPython = ProcessInfo.processInfo.environment["SALLYPORT_HAR_PYTHON"]
    static let harCheck = ProcessInfo.processInfo.environment["SALLYPORT_HAR_CHECK"]
    static let mitmdump = ProcessInfo.processInfo.environment["SALLYPORT_MITMDUMP"]
}

extension RealServer {
    /// The issuer of Glewlwyd, the cookies of a signed-in user, and the key of the client `jwe`.
    static let glewlwyd = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD"]
    static let glewlwydCookies = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD_COOKIES"]
    static let glewlwydKey = ProcessInfo.processInfo.environment["SALLYPORT_GLEWLWYD_KEY"]
}

extension RealServer {
    /// The gateway, run by the command, and the key of its client `jwe`.
    static let gateway = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY"]
    static let gatewayTestRoutes = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_TEST_ROUTES"]
    /// The same over TLS, and the authority of its certificate.
    static let gatewayTLS = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_TLS"]
    static let gatewayAuthority = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_CA"]
    static let gatewayKey = ProcessInfo.processInfo.environment["SALLYPORT_GATEWAY_KEY"]
}

extension RealServer {
    /// A server with a parser of forms at each of the paths `/multipart`, `/werkzeug` and `/django`.
    static let multipart = ProcessInfo.processInfo.environment["SALLYPORT_MULTIPART"]
}

extension RealServer {
    /// Python with py_webauthn, and the script that verifies the responses of an authenticator with it.
    static let webAuthn = ProcessInfo.processInfo.environment["SALLYPORT_WEBAUTHN"]
    static let webAuthnVerifier = ProcessInfo.processInfo.environment["SALLYPORT_WEBAUTHN_VERIFIER"]
}

extension RealServer {
    /// Python with cryptography, and the script that implements payload encryption with it.
    static let payloadPython = ProcessInfo.processInfo.environment["SALLYPORT_PAYLOAD_PYTHON"]
    static let payloadPeer = ProcessInfo.processInfo.environment["SALLYPORT_PAYLOAD_PEER"]

    /// The URLs and keys of its servers, by curve.
    static let payloadServers: [String: (url: String, key: String)] = {
        let environment = ProcessInfo.processInfo.environment
        var servers: [String: (url: String, key: String)] = [:]
        for curve in ["X25519", "P256"] {
            guard let url = environment["SALLYPORT_PAYLOAD_\(curve)"],
                let key = environment["SALLYPORT_PAYLOAD_\(curve)_KEY"]
            else { continue }
            servers[curve] = (url, key)
        }
        return servers
    }()
}

extension RealServer {
    /// Python with joserfc and jwcrypto, and the script that encrypts and decrypts with them.
    static let jose = ProcessInfo.processInfo.environment["SALLYPORT_JOSE"]
    static let josePeer = ProcessInfo.processInfo.environment["SALLYPORT_JOSE_PEER"]
}
