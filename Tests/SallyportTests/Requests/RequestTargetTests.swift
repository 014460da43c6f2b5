import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RequestTargetTests {
    /// URLs that are sent as they are, and some that differ from one in a detail.
    private static let urls = [
        "http://example.com/", "https://example.com/a/b?c=d&e", "http://127.0.0.1:8080/path", "http://a_b.example:1/",
        "https://example.com:443/", "http://example.com:80/", "https://example.com:80/", "http://example.com:080/",
        "http://example.com:0/", "http://example.com:65535/", "http://example.com:65536/", "http://example.com:/",
        "http://example.com", "http://example.com?query", "http://example.com/#fragment", "http://example.com/%41%zz",
        "http://example.com/a b", "http://example.com/ü", "http://Example.com/", "http://[::1]:8080/", "http:///path",
        "http://user@example.com/", "http://user:secret@example.com/", "http://example.com\\path", "http://.-_/",
        "http://example.com/path\n", "http://example.com/[a]", "http://exa mple.com/", "http:/example.com/", "http://",
        "http://example.com/a/../b", "http://example.com/.", "http://example.com/..?a", "http://example.com/.a/b../...",
        "http://example.com/a?b=/../c", "http://example.com/a/./", "http://example.com/a.b/c",
    ]

    /// The parser has a shorter path for URLs that need no change, which requires a scheme in lower case.
    @Test(arguments: urls) func `A URL is parsed alike with a scheme in upper case`(url: String) {
        let upper = url.prefix { $0 != ":" }.uppercased() + url.drop { $0 != ":" }
        #expect(outcome(of: url) == outcome(of: upper))
    }

    private func outcome(of url: String) -> String {
        do throws(NetworkError) {
            let target = try RequestTarget(url: url)
            return [target.scheme, target.authority, target.path].joined(separator: " ")
        } catch {
            return "\(error)".replacing("HTTP", with: "http")
        }
    }
}
