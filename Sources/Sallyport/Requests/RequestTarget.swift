import Foundation
import SallyportTransport

/// The parts of a URL that go on the wire, checked and written in one way only.
struct RequestTarget: Hashable {
    /// `http` or `https`.
    let scheme: String
    /// The host in lower case, in ASCII, with its port unless that is the scheme's own.
    let authority: String
    /// The path, never empty, and the query.
    let path: String

    /// The whole URL, without a fragment.
    var url: String { "\(scheme)://\(authority)\(path)" }

    /// - Throws: ``NetworkError/invalidRequest(_:)`` saying what is wrong with the URL. Its query is not quoted.
    init(url text: String?, parameters: [(name: String, value: String)] = []) throws(NetworkError) {
        guard let text, !text.isEmpty else {
            throw .invalidRequest(NetworkFailure("the request has no URL", advice: "set request.url"))
        }
        func refuse(_ problem: String, _ advice: String? = nil) -> NetworkError {
            .invalidRequest(NetworkFailure("the URL \"\(Redaction.shortUrl(text))\" \(problem)", advice: advice))
        }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw refuse("contains a control character") }
        guard let parsed = URL(string: text) else { throw refuse("cannot be parsed") }
        let absolute = parsed.absoluteString
        guard parsed.scheme != nil, let colon = absolute.firstIndex(of: ":") else {
            throw refuse("has no scheme", "start it with https://")
        }
        scheme = absolute[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw refuse("has the scheme \(scheme)", "only http and https can be sent")
        }
        let afterScheme = absolute[absolute.index(after: colon)...]
        guard afterScheme.hasPrefix("//") else { throw refuse("has no host") }
        let rest = afterScheme.dropFirst(2)
        let rawAuthority = rest.prefix { !"/?#".contains($0) }
        if rawAuthority.contains("@") {
            throw refuse(
                "contains a user name or password",
                "send them in an Authorization header (on the command line, with --user)"
            )
        }
        guard let host = HostAndPort(rawAuthority) else { throw refuse("has no valid host and port") }
        authority = host.authority(defaultPort: scheme == "https" ? 443 : 80)
        path = Self.path(rest[rawAuthority.endIndex...].prefix { $0 != "#" }, parameters)
    }

    private static func path(_ pathAndQuery: Substring, _ parameters: [(name: String, value: String)]) -> String {
        var path = pathAndQuery.hasPrefix("/") ? String(pathAndQuery) : "/" + pathAndQuery
        if parameters.isEmpty { return path }
        if !path.contains("?") {
            path += "?"
        } else if !path.hasSuffix("?"), !path.hasSuffix("&") {
            path += "&"
        }
        return path + PercentEncoding.joined(parameters, encode: PercentEncoding.query)
    }
}

/// A host and port as they stand in a URL, already in ASCII.
private struct HostAndPort {
    private let host: String
    private let port: Int?

    init?(_ authority: Substring) {
        let bracket = authority.lastIndex(of: "]")
        let colon = authority[(bracket ?? authority.startIndex)...].firstIndex(of: ":")
        host = authority[..<(colon ?? authority.endIndex)].lowercased()
        let digits = colon.map { authority[authority.index(after: $0)...] } ?? ""
        port = Int(digits)
        if !digits.isEmpty, !digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return nil }
        if !digits.isEmpty, !(1...65_535).contains(port ?? 0) { return nil }
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        let isName = !host.isEmpty && host.utf8.allSatisfy(Self.isAllowed)
        if !isAddress, !isName { return nil }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._".utf8.contains(byte)
        }
    }

    func authority(defaultPort: Int) -> String {
        guard let port, port != defaultPort else { return host }
        return "\(host):\(port)"
    }
}
