import Sallyport
import SallyportTransport

/// The criteria for a successful response.
public struct ResponseValidation: Sendable, Hashable {
    /// The statuses of a success; 200 to 299 by default.
    public var statuses: Range<Int>

    /// The allowed media types; an asterisk matches anything. An empty list allows every type.
    ///
    /// The default is JSON and types based on it. The type is checked only if a body is decoded as JSON. A response without
    /// a type is allowed.
    public var contentTypes: [String]

    /// Creates a validation.
    public init(
        statuses: Range<Int> = 200..<300,
        contentTypes: [String] = ["application/json", "text/json", "*/*+json"]
    ) {
        self.statuses = statuses
        self.contentTypes = contentTypes
    }

    /// Returns a Boolean value that indicates whether a media type, with or without parameters, matches ``contentTypes``.
    func allows(_ contentType: String?) -> Bool {
        guard let type = Self.essence(contentType), !contentTypes.isEmpty else { return true }
        return contentTypes.contains { Self.matches(type, $0.lowercased()) }
    }

    /// Returns a media type in lower case without its parameters; `nil` if there is none.
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
