/// The scope that the resources at a path need.
///
/// ```json
/// {"resource_policies": [{"path": "/accounts", "scope": "accounts"}, {"path": "/public"}]}
/// ```
public struct ResourcePolicy: Sendable, Equatable {
    /// The path below `/resources`, such as `/accounts`, which is also the beginning of the paths of its resources.
    public var path: String
    /// The scope that an access token needs; `nil` for resources that need no token.
    public var scope: String?

    /// Creates a policy.
    public init(path: String, scope: String?) {
        self.path = path
        self.scope = scope
    }
}

extension ResourcePolicy: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case path, scope
    }

    /// Decodes a policy. Unknown members are refused.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self, of: "resource_policies")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            path: try container.decode(String.self, forKey: .path),
            scope: try container.decodeIfPresent(String.self, forKey: .scope)
        )
    }
}

extension [ResourcePolicy] {
    /// The first error in the policies, or `nil`.
    var mistake: String? {
        var known: Set<[[UInt8]]> = []
        for policy in self {
            guard policy.path.hasPrefix("/") else {
                return "The path \(policy.path) must begin with a slash (resource_policies)."
            }
            do throws(AmbiguousPath) {
                let isNew = known.insert(try policy.path.pathSegments()).inserted
                if !isNew { return "Two policies have the same path (resource_policies)." }
            } catch {
                return "The path \(policy.path) cannot have a policy (resource_policies). \(error)"
            }
            // One scope token (RFC 6749, section 3.3). No access token has another one.
            if let scope = policy.scope, scope.wholeMatch(of: /[\x21\x23-\x5B\x5D-\x7E]+/) == nil {
                return "The path \(policy.path) must have one scope without spaces and quotes (resource_policies)."
            }
        }
        return nil
    }

    /// Returns the policy with the longest path that a path begins with, compared by segments; `nil` if there is none.
    ///
    /// - Parameter segments: The segments of the path below `/resources`.
    func policy(for segments: some Collection<[UInt8]>) -> ResourcePolicy? {
        let candidates = compactMap { policy in (try? policy.path.pathSegments()).map { (policy, $0) } }
        return candidates.filter { segments.starts(with: $0.1) }.max { $0.1.count < $1.1.count }?.0
    }
}
