import Foundation

/// A host in the canonical form for comparisons: lower case, ASCII, without a trailing dot (RFC 6265bis section 5.1.2).
struct CookieHost: Equatable {
    let name: String

    /// A Boolean value that indicates whether the host is an IP address, which belongs to no domain.
    let isAddress: Bool

    init?(_ url: URL) {
        guard let host = url.host else { return nil }
        self.init(host)
    }

    init?(_ host: String) {
        guard host.utf8.allSatisfy(CookieHost.isAllowed) else { return nil }
        name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        guard (1...253).contains(name.utf8.count) else { return nil }
        if name.contains(":") {
            isAddress = true
            return
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }), let last = labels.last else { return nil }
        isAddress = last.allSatisfy(\.isNumber) || last.hasPrefix("0x")
    }

    /// The host and then each of its parent domains; only the host for an IP address.
    var domains: some Sequence<Substring> {
        sequence(first: name[...]) { [isAddress] domain in
            guard !isAddress, let dot = domain.firstIndex(of: ".") else { return nil }
            return domain[domain.index(after: dot)...]
        }
    }

    /// Returns a Boolean value that indicates whether the host is the domain or a subdomain of it (RFC 6265bis section 5.1.3).
    func domainMatches(_ domain: String) -> Bool {
        name == domain || !isAddress && CookieHost.isSubdomain(name, of: domain)
    }

    /// Returns a Boolean value that indicates whether `name` ends with a dot and `domain`.
    static func isSubdomain(_ name: String, of domain: String) -> Bool {
        let rest = name.utf8.count - domain.utf8.count
        return rest > 1 && name.utf8.dropFirst(rest - 1).first == UInt8(ascii: ".")
            && name.utf8.dropFirst(rest).elementsEqual(domain.utf8)
    }

    private static func isAllowed(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}

/// The matching of paths (RFC 6265bis section 5.1.4).
enum CookiePath {
    /// Returns the path of a request, which is never empty.
    static func requestPath(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return path.utf8.first == UInt8(ascii: "/") ? path : "/"
    }

    /// Returns the path of a cookie without a `Path` attribute: the path of the request up to its last slash.
    static func defaultPath(of url: URL) -> String {
        let path = requestPath(of: url)
        let folder = path.utf8.prefix(upTo: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex)
        return folder.isEmpty ? "/" : String(Substring(folder))
    }

    /// Returns a Boolean value that indicates whether a request to `path` may carry a cookie with the path `cookiePath`.
    static func matches(_ path: String, cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") || cookiePath.utf8.last == UInt8(ascii: "/")
    }
}
