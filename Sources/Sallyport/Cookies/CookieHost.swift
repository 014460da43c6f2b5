import Foundation

/// A host in the form that cookies compare: lower case, ASCII, no dot at its end (RFC 6265bis section 5.1.2).
struct CookieHost: Equatable {
    let name: String

    /// Whether the host is an IP address, which no domain covers.
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

    /// The host itself and then each domain above it, or only itself for an IP address.
    var domains: some Sequence<Substring> {
        sequence(first: name[...]) { [isAddress] domain in
            guard !isAddress, let dot = domain.firstIndex(of: ".") else { return nil }
            return domain[domain.index(after: dot)...]
        }
    }

    /// Whether the host is the domain or below it (RFC 6265bis section 5.1.3).
    func domainMatches(_ domain: String) -> Bool {
        name == domain || !isAddress && CookieHost.isBelow(name, domain)
    }

    /// Whether `name` ends in a dot and `domain`.
    static func isBelow(_ name: String, _ domain: String) -> Bool {
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
