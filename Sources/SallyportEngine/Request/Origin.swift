import HTTPTypes
import SallyportTransport

/// The server that a request is for: requests with equal origins can share a connection.
struct Origin: Hashable, Sendable {
    enum Scheme: String, Sendable {
        case http, https

        var defaultPort: Int { self == .https ? 443 : 80 }
    }

    let scheme: Scheme
    /// Lower-case; an IPv6 address without its brackets.
    let host: String
    let port: Int

    init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Reads the origin off a request's scheme and authority (RFC 9110, section 4.3).
    init(of request: HTTPRequest) throws(NetworkError) {
        guard let scheme = request.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) }) else {
            throw .invalidRequest("the scheme \"\(request.scheme ?? "")\" is not http or https")
        }
        guard let authority = request.authority, let parts = Self.split(authority) else {
            throw .invalidRequest("\"\(request.authority ?? "")\" is not a host with an optional port")
        }
        self.init(scheme: scheme, host: parts.host.lowercased(), port: parts.port ?? scheme.defaultPort)
    }

    private static func split(_ authority: String) -> (host: String, port: Int?)? {
        let text = authority[...]
        let host: Substring
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
        }
        guard !host.isEmpty, host.utf8.allSatisfy(isAllowed) else { return nil }
        if rest.isEmpty || rest == ":" { return (String(host), nil) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
        return (String(host), Int(port))
    }

    /// Visible ASCII without the delimiters that would end an authority.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"/?#@\\\"<>".utf8.contains(byte)
    }
}
