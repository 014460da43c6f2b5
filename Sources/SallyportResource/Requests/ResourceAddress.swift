import Foundation
import Sallyport

/// The resource base URL and the origins that requests may go to.
struct ResourceAddress: Sendable {
    /// The base URL without a slash at its end.
    private let base: String
    private let origins: OriginSet

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - base: The valid URL that relative paths are joined with. It has neither a query nor a fragment.
    ///   - origins: The origins that absolute URLs may have.
    init(base: String, origins: OriginSet) {
        self.base = String(base.reversed().drop { $0 == "/" }.reversed())
        self.origins = origins
    }

    /// Returns the URL for the path of a request.
    ///
    /// A relative path is joined with the base URL by a single slash. Its dot segments are removed (RFC 3986, section 5.2.4), even if
    /// they are percent-encoded. Its query is preserved, and a fragment is removed.
    ///
    /// - Throws: ``ResourceError/Reason/invalidRequest`` if the path leaves the path of the base URL, or if an absolute URL is not https or
    ///   has another origin than the configured URLs.
    func url(of path: String) throws(ResourceError) -> String {
        if path.utf8.starts(with: "//".utf8) {
            throw refusal(of: path, "begins with two slashes", "begin a path with one slash, and a URL with https://")
        }
        if let scheme = RequestTarget.scheme(of: path) { return try checkedURL(path, scheme) }
        // Bytes are compared, because a combining character after a slash would make it part of another Character.
        let reference = path.utf8.prefix { $0 != UInt8(ascii: "#") }
        let relative = reference.prefix { $0 != UInt8(ascii: "?") }.drop { $0 == UInt8(ascii: "/") }
        guard let joined = Self.withoutDotSegments(relative) else {
            throw refusal(
                of: path,
                "leaves the path of the resource base URL",
                "remove the segments \"..\", or use an absolute URL"
            )
        }
        let query = Substring(reference.drop { $0 != UInt8(ascii: "?") })
        return "\(base)/\(joined)\(query)"
    }

    private func checkedURL(_ url: String, _ scheme: String) throws(ResourceError) -> String {
        guard scheme == "https" else {
            throw refusal(
                of: url,
                "has the scheme \"\(VisibleText.line(scheme))\"",
                "use https; a path whose first segment contains a colon begins with a slash"
            )
        }
        let authority = url.utf8.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }
            .prefix { !"/?#".utf8.contains($0) }
        if authority.contains(UInt8(ascii: "@")) {
            let advice = "remove it; the kind of call decides whose token is sent"
            throw ResourceError(
                .invalidRequest,
                NetworkFailure("the URL contains a user name or password", advice: advice)
            )
        }
        do throws(NetworkError) {
            _ = try RequestTarget(url: url)
        } catch {
            throw ResourceError(.invalidRequest, error.failure)
        }
        guard origins.contains(url) else {
            throw refusal(
                of: url,
                "goes to a server that is not configured: only \(origins) are allowed",
                "add the URL of the server to additionalResourceURLs, and pins for its host"
            )
        }
        return url
    }

    private func refusal(of path: String, _ problem: String, _ advice: String) -> ResourceError {
        let visible = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let shown = VisibleText.line(Redaction.text(String(Substring(visible))), longest: 200)
        return ResourceError(.invalidRequest, NetworkFailure("the path \"\(shown)\" \(problem)", advice: advice))
    }

    /// Returns a path without dot segments; `nil` if they lead above its beginning.
    private static func withoutDotSegments(_ path: Substring.UTF8View) -> String? {
        var segments: [Substring] = []
        let all = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in all.enumerated() {
            let plain = PercentEncoding.decodedBytes(of: segment)
            if plain.elementsEqual(".".utf8) {
                if index == all.count - 1 { segments.append("") }
            } else if plain.elementsEqual("..".utf8) {
                if segments.popLast() == nil { return nil }
                if index == all.count - 1 { segments.append("") }
            } else {
                let names = PercentEncoding.names(inSegment: segment)
                if names.contains(where: { $0.elementsEqual("..".utf8) }) { return nil }
                segments.append(Substring(segment))
            }
        }
        return segments.joined(separator: "/")
    }
}
