/// A realm in the paths of PingAM. All realms have the same users, clients and trees, but their sessions are separate.
struct GatewayRealm: Sendable, Equatable {
    static let root = GatewayRealm(name: "/", paths: ["root"])

    /// The name, such as `/` or `/alpha`.
    let name: String
    /// The paths that lead to the realm, such as `root/realms/alpha` and `alpha`.
    let paths: [String]

    private init(name: String, paths: [String]) {
        self.name = name
        self.paths = paths
    }

    /// Creates a realm below the root.
    ///
    /// - Parameter text: The names of the realm and those above it, separated by slashes, such as `alpha`.
    /// - Returns: `nil` if a name is empty, contains characters other than letters, digits, `-` and `_`, or has a meaning in paths.
    init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_\-]+(\/[A-Za-z0-9_\-]+)*/) != nil else { return nil }
        let names = text.split(separator: "/")
        guard !names.contains("root"), !names.contains("realms") else { return nil }
        let path = (["root"] + names).joined(separator: "/realms/")
        self.init(name: "/" + text, paths: names.count == 1 ? [path, text] : [path])
    }
}
