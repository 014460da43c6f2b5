/// Comparison of entity tags (RFC 9110, section 8.8.3.2).
enum EntityTag {
    /// Compares tags without regard to weakness.
    static func matchesWeakly(_ first: some StringProtocol, _ second: some StringProtocol) -> Bool {
        opaque(first) == opaque(second)
    }

    /// Compares two tags. A weak tag never matches.
    static func matchesStrongly(_ first: some StringProtocol, _ second: some StringProtocol) -> Bool {
        !first.hasPrefix("W/") && first == second
    }

    private static func opaque(_ tag: some StringProtocol) -> String {
        String(tag.hasPrefix("W/") ? tag.dropFirst(2)[...] : tag[...])
    }
}
