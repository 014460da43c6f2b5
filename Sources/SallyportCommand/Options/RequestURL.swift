import ArgumentParser
import Foundation
import Sallyport

/// A URL argument. A user and password in it have the same effect as `--user`.
///
/// A loopback address without a scheme, such as `localhost:8080`, is a URL with the scheme http. As in HTTPie, `:8080/users` is a URL of
/// `localhost`, and so is `:/users`.
struct RequestURL: ExpressibleByArgument, Equatable, Sendable {
    /// The URL, without user and password.
    let text: String
    /// The user before the host, percent-decoded.
    let user: UserAndPassword?

    /// Parses a URL. Invalid text is stored unchanged, and ``check(_:)`` refuses it.
    init(_ argument: String) {
        let address = Self.withLocalHost(argument)
        let url = Self.isLoopback(address) ? "http://" + address : address
        let parts = Self.split(url)
        text = parts?.url ?? url
        user = parts?.user
    }

    init(argument: String) { self.init(argument) }

    /// Returns the argument with the host `localhost`, if it begins with a colon and a port or path.
    private static func withLocalHost(_ argument: String) -> String {
        argument.prefixMatch(of: /:(?:\d|\/(?!\/))/) == nil ? argument : "localhost" + argument
    }

    /// Returns a Boolean value that indicates whether a text without a scheme begins with a loopback name or address.
    private static func isLoopback(_ text: String) -> Bool {
        if text.contains("://") { return false }
        guard let host = HostAndPort(text.prefix { !"/?#".contains($0) })?.host else { return false }
        return Origin(scheme: .http, host: host, port: 80).isLoopback
    }

    /// Returns a Boolean value that indicates whether an argument that could also be a path is a URL: it has a scheme, or is a loopback
    /// address with a port, such as `localhost:8080/a.zip`.
    static func isURL(_ argument: String) -> Bool {
        argument.contains("://") || argument.contains(":") && isLoopback(argument)
    }

    private static func split(_ argument: String) -> (url: String, user: UserAndPassword)? {
        guard let mark = argument.firstRange(of: "://"),
            ["http", "https"].contains(argument[..<mark.lowerBound].lowercased())
        else { return nil }
        let end = argument[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? argument.endIndex
        guard let at = argument[mark.upperBound..<end].lastIndex(of: "@"), at > mark.upperBound else { return nil }
        let parts = argument[mark.upperBound..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.compactMap { $0.removingPercentEncoding }
        guard decoded.count == parts.count else { return nil }
        let url = argument[..<mark.upperBound] + argument[argument.index(after: at)...]
        return (String(url), UserAndPassword(name: decoded[0], password: decoded.count > 1 ? decoded[1] : nil))
    }

    /// Checks a URL.
    ///
    /// - Throws: A failure with the problem and, if possible, a corrected URL.
    static func check(_ url: String) throws(CommandFailure) {
        if url.allSatisfy(\.isWhitespace) {
            throw CommandFailure(.badURL, "the URL is empty; write one such as https://example.com")
        }
        do throws(NetworkError) {
            _ = try HttpRequest(url: url).head()
        } catch {
            var failure = error.failure
            if let suggestion = suggestion(for: url) {
                failure.advice = "did you mean \(suggestion)?"
            } else if let match = url.prefixMatch(of: /(?i)https?:\/\/[^\/?#@]+:(\d+)(?=[\/?#]|$)/),
                !(1...65_535).contains(Int(match.1) ?? .max)
            {
                failure.advice = "a port is a number from 1 to 65535"
            }
            throw CommandFailure(.badURL, failure.description)
        }
    }

    /// Returns the URL with a scheme added, or with the separator after its scheme corrected, if that makes it valid.
    private static func suggestion(for url: String) -> String? {
        if url.contains("://") { return nil }
        if let match = url.prefixMatch(of: /(?i)(https?)(?::\/?|\/\/)(?=[a-z\[]|\d+\.)/) {
            let suggestion = match.1.lowercased() + "://" + url[match.range.upperBound...].prefix { $0 != "?" }
            return (try? HttpRequest(url: suggestion).head()) == nil ? nil : suggestion
        }
        let afterColon = url.drop { $0 != ":" }.dropFirst()
        guard afterColon.isEmpty || afterColon.first?.isNumber == true else { return nil }
        let suggestion = "https://" + url.prefix { $0 != "?" }
        return (try? HttpRequest(url: suggestion).head()) == nil ? nil : suggestion
    }
}

/// The name of a user, and the password if it is known. The description contains neither.
struct UserAndPassword: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    let name: String
    var password: String?

    var description: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension UserAndPassword {
    /// Parses `name:password` or a name alone. The name ends at the first colon.
    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(name: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : nil)
    }
}
