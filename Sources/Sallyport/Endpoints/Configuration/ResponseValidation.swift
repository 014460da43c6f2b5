import SallyportTransport

/// Which answers are successes.
public struct ResponseValidation: Sendable, Hashable {
    /// The statuses that are successes: 200 to 299 unless set.
    public var statuses: Range<Int>

    /// The media types in which an answer may come; a star stands for anything. An empty list allows every type.
    ///
    /// JSON and what is built on it unless set. They are asked for where a body has to be read as JSON; an answer that
    /// does not tell its type is taken for one of them.
    public var contentTypes: [String]

    /// Makes a validation.
    public init(
        statuses: Range<Int> = 200..<300,
        contentTypes: [String] = ["application/json", "text/json", "*/*+json"]
    ) {
        self.statuses = statuses
        self.contentTypes = contentTypes
    }

    /// Whether a media type, with or without parameters, is one of ``contentTypes``.
    func allows(_ contentType: String?) -> Bool {
        guard let type = Self.essence(contentType), !contentTypes.isEmpty else { return true }
        return contentTypes.contains { Self.matches(type, $0.lowercased()) }
    }

    /// A media type without parameters, in lower case; `nil` if there is none.
    private static func essence(_ contentType: String?) -> String? {
        let type = (contentType ?? "").prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        return type.isEmpty ? nil : type
    }

    private static func matches(_ type: String, _ pattern: String) -> Bool {
        let parts = type.split(separator: "/", maxSplits: 1)
        let patterns = pattern.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, patterns.count == 2 else { return pattern == "*" || type == pattern }
        return zip(parts, patterns).allSatisfy { part, pattern in
            guard pattern.hasPrefix("*") else { return part == pattern }
            return part.hasSuffix(pattern.dropFirst())
        }
    }
}
