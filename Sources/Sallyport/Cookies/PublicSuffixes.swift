import Foundation

/// The domains under which anyone can register names, such as `co.uk`. No cookie may be set for them.
///
/// The rules follow publicsuffix.org: `*.` matches one label, `!` marks an exception, and a name without a dot is always a public
/// suffix.
///
/// ```swift
/// PublicSuffixes.builtIn.isPublicSuffix("co.uk")       // true
/// PublicSuffixes.builtIn.isPublicSuffix("example.com") // false
/// ```
public struct PublicSuffixes: Sendable {
    private var rules: Set<String> = []
    private var wildcards: Set<String> = []
    private var exceptions: Set<String> = []
    private var countryLabels: Set<String> = []
    private let isBuiltIn: Bool

    /// Creates a reference to the built-in rules. They are read on first use, because only cookies with a `Domain` attribute need them.
    init() {
        isBuiltIn = true
    }

    /// Creates rules from text in the format of publicsuffix.org: one rule per line, `//` before a comment.
    ///
    /// - Parameter text: The complete list, in Unicode or Punycode.
    public init(text: String) {
        self.init(text: text, countryLabels: [])
    }

    /// Creates the rules of `text` and a rule for every label of `countryLabels` under every two-letter top-level domain.
    init(text: String, countryLabels: Set<String>) {
        self.countryLabels = countryLabels
        isBuiltIn = false
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let rule = Substring(line.prefix { $0 != 0x20 && $0 != 0x09 })
            if rule.isEmpty || rule.hasPrefix("//") { continue }
            if rule.hasPrefix("!") {
                PublicSuffixes.insert(rule.dropFirst(), into: &exceptions)
            } else if rule.hasPrefix("*.") {
                PublicSuffixes.insert(rule.dropFirst(2), into: &wildcards)
            } else {
                PublicSuffixes.insert(rule, into: &rules)
            }
        }
    }

    /// Returns a Boolean value that indicates whether `host` is a public suffix. An IP address is not.
    ///
    /// - Parameter host: A host name in any case, in Unicode or Punycode.
    public func isPublicSuffix(_ host: String) -> Bool {
        if isBuiltIn { return PublicSuffixes.loaded.isPublicSuffix(host) }
        guard let host = PublicSuffixes.asciiHost(host), !host.isAddress else { return false }
        guard let dot = host.name.firstIndex(of: ".") else { return true }
        if exceptions.contains(host.name) { return false }
        let parent = String(host.name[host.name.index(after: dot)...])
        return rules.contains(host.name) || wildcards.contains(parent)
            || parent.utf8.count == 2 && countryLabels.contains(String(host.name[..<dot]))
    }

    private static func insert(_ rule: Substring, into rules: inout Set<String>) {
        if let host = asciiHost(String(rule)) { rules.insert(host.name) }
    }

    private static func asciiHost(_ name: String) -> CookieHost? {
        if let host = CookieHost(name) { return host }
        return URL(string: "http://\(name)/").flatMap { CookieHost($0) }
    }
}
