extension Redaction {
    /// The shortest word that is taken for a token, in bytes.
    private static let shortestToken = 20

    /// The text with each word masked that looks as if made at random: long, of letters and digits.
    ///
    /// Other than ``text(_:)`` it masks too much rather than too little. The parts of a path are words of their own.
    static func withoutTokenLikes(_ text: String) -> String {
        guard text.utf8.count >= shortestToken else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.utf8.firstIndex(where: isOfToken) {
            result += rest[..<start]
            rest = rest[start...]
            let isPath = rest.utf8.first == UInt8(ascii: "/")
            let word = rest.utf8.prefix(while: isOfToken)
            let parts =
                isPath ? Substring(word).split(separator: "/", omittingEmptySubsequences: false) : [Substring(word)]
            result += parts.map { looksLikeToken($0) ? mask : String($0) }.joined(separator: "/")
            rest = rest[word.endIndex...]
        }
        return result + rest
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-_+/=.~".utf8.contains(byte)
    }

    private static func looksLikeToken(_ word: Substring) -> Bool {
        return word.utf8.count >= shortestToken && word.utf8.contains(where: \.isDigit)
            && word.utf8.contains { $0.isAlphanumeric && !$0.isDigit }
    }
}
