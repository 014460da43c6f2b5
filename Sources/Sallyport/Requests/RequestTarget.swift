import Foundation
import SallyportTransport

/// The parts of a URL that are sent, validated and normalized.
package struct RequestTarget: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower-case ASCII, with the port unless it is the scheme's default.
    package let authority: String
    /// The path, never empty, and the query.
    package let path: String

    /// Scheme, host and port.
    package var origin: String { "\(scheme)://\(authority)" }

    /// The complete URL without a fragment.
    package let url: String

    /// Parses a URL and appends parameters to its query.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``, which states why the URL is invalid, without its query.
    package init(url text: String?, parameters: [(name: String, value: String)] = []) throws(NetworkError) {
        guard let text, !text.isEmpty else {
            throw .invalidRequest(NetworkFailure("the request has no URL", advice: "set request.url"))
        }
        if parameters.isEmpty, let normalized = RequestTarget(normalized: text) {
            self = normalized
            return
        }
        func refuse(_ problem: String, _ advice: String? = nil) -> NetworkError {
            .invalidRequest(NetworkFailure("the URL \"\(Redaction.refusedUrl(text))\" \(problem)", advice: advice))
        }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw refuse("contains a control character") }
        guard let scheme = Self.scheme(of: text) else { throw refuse("has no scheme", "start it with https://") }
        guard scheme == "https" || scheme == "http" else {
            throw refuse("has the scheme \(scheme)", "only http and https can be sent")
        }
        let afterScheme = text.utf8.dropFirst(scheme.utf8.count + 1)
        let rest = afterScheme.dropFirst(2)
        guard afterScheme.prefix(2).elementsEqual("//".utf8) else { throw refuse("has no host") }
        let rawAuthority = rest.prefix { !Self.endsAuthority($0) }
        if rawAuthority.contains(UInt8(ascii: "@")) {
            throw refuse(
                "contains a user name or password",
                "send them in an Authorization header (on the command line, with --user)"
            )
        }
        guard let host = Self.inAscii(Substring(rawAuthority)).flatMap({ HostAndPort($0) }) else {
            throw refuse("has no valid host and port")
        }
        let target = rest[rawAuthority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        self.scheme = scheme
        authority = host.authority(defaultPort: scheme == "https" ? 443 : 80)
        path = Self.path(Self.withoutDotSegments(PercentEncoding.completed(Substring(target))), parameters)
        url = "\(scheme)://\(authority)\(path)"
    }

    /// Parses a URL that is already in the form that is sent, as most are; `nil` for any other.
    private init?(normalized url: String) {
        var text = url
        guard let parts = text.withUTF8({ bytes in Self.normalizedParts(of: bytes) }) else { return nil }
        (scheme, authority, path) = parts
        self.url = url
    }

    /// Returns the parts of a URL in the form that is sent.
    private static func normalizedParts(
        of url: UnsafeBufferPointer<UInt8>
    ) -> (scheme: String, authority: String, path: String)? {
        let isSecure = url.count > 4 && url[4] == UInt8(ascii: "s")
        let start: StaticString = isSecure ? "https://" : "http://"
        let host = start.utf8CodeUnitCount
        let prefix = start.withUTF8Buffer(\.self)
        guard url.count > host, (0..<host).allSatisfy({ url[$0] == prefix[$0] }) else { return nil }
        let (hostBytes, pathBytes) = (normalizedHostBytes, normalizedPathBytes)
        var index = host
        while index < url.count, hostBytes.contains(url[index]) { index += 1 }
        guard index > host, index < url.count else { return nil }
        if url[index] == UInt8(ascii: ":") {
            index += 1
            var port = 0
            guard index < url.count, url[index] != UInt8(ascii: "0") else { return nil }
            while index < url.count, url[index].isDigit, port < 65_536 {
                port = port * 10 + Int(url[index] - UInt8(ascii: "0"))
                index += 1
            }
            guard (1...65_535).contains(port), port != (isSecure ? 443 : 80), index < url.count else { return nil }
        }
        guard url[index] == UInt8(ascii: "/"), url[index...].allSatisfy(pathBytes.contains),
            !hasDotSegment(url[index...])
        else { return nil }
        let (authority, path) = (url[host..<index], url[index...])
        return (
            isSecure ? "https" : "http", String(decoding: authority, as: UTF8.self),
            String(decoding: path, as: UTF8.self)
        )
    }

    private static let normalizedHostBytes = ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789-._")
    private static let normalizedPathBytes = ASCIISet.letters.union(.digits).union(ASCIISet("-._~:/?@!$&'()*+,;="))

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Returns the ASCII form (RFC 5891) of an internationalized name, and other names unchanged.
    private static func inAscii(_ authority: Substring) -> Substring? {
        if authority.utf8.allSatisfy({ $0 < 0x80 }) { return authority }
        return URL(string: "http://\(authority)/")?.absoluteString.dropFirst(7).dropLast()
    }

    /// Returns the scheme of a URL in lower case; `nil` for a relative reference.
    package static func scheme(of url: String) -> String? {
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") && !endsAuthority($0) }
        guard scheme.endIndex < url.endIndex, url.utf8[scheme.endIndex] == UInt8(ascii: ":") else { return nil }
        return scheme.isEmpty ? nil : Substring(scheme).lowercased()
    }

    /// Returns the absolute URL of a reference (RFC 3986, section 5.2); `nil` if it cannot be parsed.
    package static func resolved(_ reference: String, against base: String) -> String? {
        if reference.isEmpty { return base }
        if scheme(of: reference) != nil { return reference }
        if reference.hasPrefix("//") { return (scheme(of: base) ?? "https") + ":" + reference }
        return URL(string: PercentEncoding.completed(reference[...]), relativeTo: URL(string: base))?.absoluteString
    }

    /// Returns a path and its query without the segments `.` and `..` of the path (RFC 3986, section 5.2.4). Percent-encoded dots remain.
    private static func withoutDotSegments(_ target: String) -> String {
        guard hasDotSegment(target.utf8) else { return target }
        let path = target.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var kept: [Substring] = []
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        // A dot segment at the end names a directory.
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/") + target[path.endIndex...]
    }

    /// Returns a Boolean value that indicates whether one of the segments of a path, which a query may follow, is `.` or `..`.
    private static func hasDotSegment(_ target: some Collection<UInt8>) -> Bool {
        var dots = 0
        var isDotted = false
        for byte in target {
            if byte == UInt8(ascii: "?") { break }
            if byte == UInt8(ascii: "/") {
                if isDotted, dots == 1 || dots == 2 { return true }
                (dots, isDotted) = (0, true)
            } else if byte == UInt8(ascii: ".") {
                dots += 1
            } else {
                isDotted = false
            }
        }
        return isDotted && (dots == 1 || dots == 2)
    }

    private static func path(_ pathAndQuery: String, _ parameters: [(name: String, value: String)]) -> String {
        var path = pathAndQuery.utf8.first == UInt8(ascii: "/") ? pathAndQuery : "/" + pathAndQuery
        if parameters.isEmpty { return path }
        if !path.contains("?") {
            path += "?"
        } else if !path.hasSuffix("?"), !path.hasSuffix("&") {
            path += "&"
        }
        return path + PercentEncoding.joined(parameters, encode: PercentEncoding.query)
    }
}
