import HTTPTypes

/// The requests that one answer of a ``MockTransport`` is for.
struct MockRoute: Sendable {
    /// `nil` for every method.
    let method: HTTPRequest.Method?
    private let segments: [Substring]

    /// - Parameter path: Segments, of which `*` stands for any one, and `**` at the end for any number.
    init(method: HTTPRequest.Method?, path: String) {
        self.method = method
        segments = Self.split(path)
    }

    func matches(_ request: MockRequest) -> Bool {
        if let method, method != request.method { return false }
        let path = Self.split(request.path)
        let isOpen = segments.last == "**"
        let fixed = isOpen ? segments.dropLast() : segments[...]
        guard isOpen ? path.count >= fixed.count : path.count == fixed.count else { return false }
        return zip(fixed, path).allSatisfy { $0 == "*" || $0 == $1 }
    }

    private static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
