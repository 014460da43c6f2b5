import Foundation

/// A pattern for the hosts to which a setting applies.
///
/// | pattern | hosts |
/// |---|---|
/// | `api.example.com` | that host |
/// | `*.example.com` | hosts with exactly one additional label |
/// | `**.example.com` | `example.com` itself, and hosts with any number of additional labels |
///
/// Patterns are not case-sensitive, and a trailing dot is ignored.
public struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    private enum Reach: Int, Hashable, Sendable {
        case any, oneLabel, host

        var prefix: String {
            switch self {
            case .host: ""
            case .oneLabel: "*."
            case .any: "**."
            }
        }
    }

    private let reach: Reach
    private let name: String

    /// Parses a pattern.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` which quotes the invalid text.
    public init(_ text: String) throws(NetworkError) {
        let reach: Reach = text.hasPrefix("**.") ? .any : text.hasPrefix("*.") ? .oneLabel : .host
        let rest = text.dropFirst(reach.prefix.count)
        let name = rest.filter { $0 == ":" }.count > 1 && rest.first != "[" ? "[\(rest)]" : String(rest)
        guard let parts = HostAndPort(name[...]), !name.hasSuffix(":"), parts.port == nil else {
            throw Self.refusal(of: text)
        }
        self.reach = reach
        self.name = Self.plain(parts.host)
        let labels = self.name.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = parts.host.contains(":") || labels.last?.allSatisfy(\.isNumber) == true
        guard labels.allSatisfy({ !$0.isEmpty }), reach == .host || !isAddress else { throw Self.refusal(of: text) }
    }

    /// The pattern in lower case, without a trailing dot.
    public var description: String { reach.prefix + name }

    /// Returns a Boolean value that indicates whether the pattern matches a host.
    ///
    /// - Parameter host: A name or address without a port.
    public func matches(_ host: String) -> Bool {
        let host = Self.plain(host.lowercased())
        switch reach {
        case .host: return host == name
        case .any: return host == name || host.hasSuffix(".\(name)")
        case .oneLabel:
            guard host.hasSuffix(".\(name)") else { return false }
            let label = host.utf8.dropLast(name.utf8.count + 1)
            return !label.isEmpty && !label.contains(UInt8(ascii: "."))
        }
    }

    /// Returns a Boolean value that indicates whether the pattern is more specific than another that matches the same host.
    func isMoreSpecific(than other: HostPattern) -> Bool {
        (reach.rawValue, name.utf8.count) > (other.reach.rawValue, other.name.utf8.count)
    }

    /// Returns the canonical form of a host name or an IPv6 address.
    private static func plain(_ host: String) -> String {
        if host.contains(":") {
            var address = in6_addr()
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let numeric = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            guard inet_pton(AF_INET6, numeric, &address) == 1,
                inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil
            else { return host }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    private static func refusal(of text: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the host pattern \"\(text.prefix(300))\" is not a host, nor one after *. or **.",
                advice:
                    "write a host without scheme and port, in its ASCII form, such as api.example.com or *.example.com"
            )
        )
    }
}
