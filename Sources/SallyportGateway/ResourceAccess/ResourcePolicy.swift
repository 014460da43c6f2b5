/// The scope that the resources at a path need.
///
/// ```json
/// {"resource_policies": [{"path": "/accounts", "scope": "accounts"}, {"path": "/public"}]}
/// ```
public struct ResourcePolicy: Sendable, Equatable, Decodable {
    /// The path below `/resources`, such as `/accounts`, which is also the beginning of the paths of its resources.
    public var path: String
    /// The scope that an access token needs; `nil` for resources that need no token.
    public var scope: String?

    /// Creates a policy.
    public init(path: String, scope: String?) {
        self.path = path
        self.scope = scope
    }

    fileprivate var segments: [Substring] { path.split(separator: "/") }
}

extension [ResourcePolicy] {
    /// The first error in the policies, or `nil`.
    var mistake: String? {
        if let policy = first(where: { !$0.path.hasPrefix("/") }) {
            return "The path \(policy.path) must begin with a slash (resource_policies)."
        }
        guard Set(map(\.segments)).count == count else { return "Two policies have the same path (resource_policies)." }
        return nil
    }

    /// Returns the policy with the longest path that a path begins with, compared by segments; `nil` if there is none.
    ///
    /// - Parameter segments: The segments of the path below `/resources`, percent-decoded and not empty.
    func policy(for segments: [String]) -> ResourcePolicy? {
        filter { segments.starts(with: $0.segments.map(String.init)) }.max { $0.segments.count < $1.segments.count }
    }
}
