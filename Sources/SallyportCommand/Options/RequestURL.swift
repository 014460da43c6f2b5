import ArgumentParser
import Foundation
import Sallyport

/// A URL on the command line. A user and a password before its host are as if `--user` had been given.
struct RequestURL: ExpressibleByArgument, Equatable, Sendable {
    /// The URL, without user and password.
    let text: String
    /// The user before the host, percent-decoded.
    let user: UserAndPassword?

    /// Reads a URL. An invalid one is kept as it is, so that ``check(_:)`` refuses it.
    init(_ argument: String) {
        let parts = Self.split(argument)
        text = parts?.url ?? argument
        user = parts?.user
    }

    init(argument: String) { self.init(argument) }

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

    /// - Throws: A failure that says what is wrong with the URL, and suggests the one that may have been meant.
    static func check(_ url: String) throws(CommandFailure) {
        do throws(NetworkError) {
            _ = try HttpRequest(url: url).head()
        } catch {
            var failure = error.failure
            if let suggestion = suggestion(for: url) { failure.advice = "did you mean \(suggestion)?" }
            throw CommandFailure(.badURL, failure.description)
        }
    }

    /// Returns the URL with a scheme, if only the scheme is missing.
    private static func suggestion(for url: String) -> String? {
        if url.contains("://") { return nil }
        let afterColon = url.drop { $0 != ":" }.dropFirst()
        guard afterColon.isEmpty || afterColon.first?.isNumber == true else { return nil }
        let suggestion = "https://" + url.prefix { $0 != "?" }
        return (try? HttpRequest(url: suggestion).head()) == nil ? nil : suggestion
    }
}

/// A user's name, and the password unless it has to be asked for. Its description shows neither.
struct UserAndPassword: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    let name: String
    var password: String?

    var description: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension UserAndPassword {
    /// Reads `name:password`, or a name alone. The name ends at the first colon.
    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(name: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : nil)
    }
}
