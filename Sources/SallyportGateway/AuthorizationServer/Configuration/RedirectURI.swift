/// Checks and builds redirect URIs.
enum RedirectURI {
    /// Returns `true` if a client can register a URI.
    static func isAcceptable(_ uri: String) -> Bool {
        guard uri.utf8.count <= 2048, uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !uri.contains(where: { "#\\\"<>^`{|}".contains($0) }), let colon = uri.firstIndex(of: ":")
        else { return false }
        let scheme = uri[..<colon].lowercased()
        switch scheme {
        case "https":
            return uri.wholeMatch(of: /https:\/\/[A-Za-z0-9.\-\[\]:]+([\/?].*)?/) != nil
        case "http":
            return withoutLoopbackPort(uri) != nil
        default:
            // A private-use scheme is a reversed domain name (RFC 8252, section 7.1).
            return scheme.contains(".") && scheme.wholeMatch(of: /[a-z][a-z0-9+.\-]*/) != nil
        }
    }

    /// Returns `true` if a URI is registered. URIs are compared as strings, except for the port of loopback URIs.
    static func matches(_ uri: String, oneOf registered: [String]) -> Bool {
        guard isAcceptable(uri) else { return false }
        return registered.contains { candidate in
            if uri == candidate { return true }
            guard let own = withoutLoopbackPort(uri) else { return false }
            return own == withoutLoopbackPort(candidate)
        }
    }

    /// Returns a URI with parameters added to its query.
    static func adding(_ parameters: [(name: String, value: String?)], to uri: String) -> String {
        let query = parameters.compactMap { name, value in value.map { "\(name)=\($0.formEncoded)" } }
        guard !query.isEmpty else { return uri }
        return uri + (uri.contains("?") ? "&" : "?") + query.joined(separator: "&")
    }

    /// Returns the source expression of a URI for a content security policy: scheme, host and port, or a private-use
    /// scheme. For an IPv6 address, which source expressions cannot contain, it is the scheme.
    static func source(of uri: String) -> String {
        if let match = uri.prefixMatch(of: /https?:\/\/[A-Za-z0-9.\-:]+/) { return String(match.0) }
        return String(uri.prefix { $0 != ":" }) + ":"
    }

    private static func withoutLoopbackPort(_ uri: String) -> String? {
        for origin in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where uri.hasPrefix(origin) {
            var rest = uri.dropFirst(origin.count)
            if rest.first == ":" {
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard let port = UInt16(digits), port > 0 else { return nil }
                rest = rest.dropFirst(1 + digits.count)
            }
            guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return nil }
            return origin + rest
        }
        return nil
    }
}
