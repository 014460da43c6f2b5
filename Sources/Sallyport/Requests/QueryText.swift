import Foundation

/// Parses queries and forms (`application/x-www-form-urlencoded` of the URL standard).
package enum QueryText {
    /// Returns the pairs in order. Text with invalid escapes is not decoded.
    package static func pairs(of text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// Returns a text without the pairs that have a name. The other pairs are unchanged.
    static func removing(_ name: String, from text: some StringProtocol) -> String {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: false)
        return pairs.filter { pair in decoded(pair.prefix { $0 != "=" }) != name }.joined(separator: "&")
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}
