import Foundation

/// The parts of a proxy's URL. Its errors never contain the password, even if the URL is malformed.
struct ProxyURL {
    private let text: String
    private let scheme: Substring?
    private let user: Substring?
    private let authority: Substring
    private let rest: Substring

    init(_ url: String) {
        text = url
        let mark = url.firstRange(of: "://")
        scheme = mark.map { url[..<$0.lowerBound] }
        let start = mark?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        let at = url[start..<end].lastIndex(of: "@")
        user = at.map { url[start..<$0] }
        authority = url[(at.map(url.index(after:)) ?? start)..<end]
        rest = url[end...]
    }

    func kind() throws(NetworkError) -> Proxy.Kind {
        switch scheme?.lowercased() {
        case "http": return .http
        case "https": return .https
        case "socks5": return .socks5(resolvesNames: false)
        case "socks5h": return .socks5(resolvesNames: true)
        case nil: throw refused("has no scheme")
        case let other?:
            let isName = other.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !":@".utf8.contains($0) }
            throw refused(isName ? "has the scheme \"\(other)\", which is not supported" : "has no valid scheme")
        }
    }

    func hostAndPort() throws(NetworkError) -> (String, Int) {
        guard rest.isEmpty || rest == "/" else { throw refused("has a path, which proxies do not use") }
        guard let parts = HostAndPort(authority) else { throw refused("is not a host with a port") }
        guard let port = parts.port else { throw refused("has no port") }
        return (parts.host, port)
    }

    func credentials(for kind: Proxy.Kind) throws(NetworkError) -> Proxy.Credentials? {
        guard let user else { return nil }
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.compactMap { $0.removingPercentEncoding }
        guard decoded.count == parts.count else {
            throw refused("has a user or password that is not percent-encoded UTF-8", advice: "write % as %25")
        }
        let credentials = Proxy.Credentials(user: decoded[0], password: decoded.count > 1 ? decoded[1] : "")
        let scalars = credentials.user.unicodeScalars + credentials.password.unicodeScalars
        guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw refused("has a control character in its user or password", advice: "remove it")
        }
        switch kind {
        case .http where credentials.user.contains(":"), .https where credentials.user.contains(":"):
            let problem = "has a colon in its user name, which Basic authentication does not allow"
            throw refused(problem, advice: "use another user")
        case .socks5 where ![credentials.user, credentials.password].allSatisfy({ (1...255).contains($0.utf8.count) }):
            let advice = "specify both, each with 1 to 255 bytes (RFC 1929)"
            throw refused("has a user name or password that SOCKS 5 does not allow", advice: advice)
        default:
            return credentials
        }
    }

    private func refused(
        _ problem: String,
        advice: String = "write it as http://host:port, https://host:port, socks5://host:port or socks5h://host:port"
    ) -> NetworkError {
        .invalidRequest(NetworkFailure("the proxy\(hostForErrors) \(problem)", advice: advice))
    }

    /// The host, if it is valid. Text before an `@` and text that is not a host may be part of a password.
    private var hostForErrors: String {
        let afterUser = text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? authority
        let host = afterUser.prefix { !"/?#".contains($0) }
        return HostAndPort(host) == nil ? "" : " \(host)"
    }
}
