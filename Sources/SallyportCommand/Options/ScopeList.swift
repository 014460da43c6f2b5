/// The scopes of an option `--scope`, whose values may each have several.
enum ScopeList {
    /// Returns the single scopes.
    static func scopes(in values: [String]) -> [String] {
        values.flatMap { $0.split(separator: " ").map(String.init) }
    }
}
