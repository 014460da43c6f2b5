/// How far pages are followed.
public struct PaginationOptions: Sendable, Hashable {
    /// The most pages that are fetched; 1000 unless set. Another one is an error, not an end.
    public var maximumPages = 1000

    /// Whether a page may lead to another origin (scheme, host or port), which is refused unless set.
    ///
    /// Secrets that the request itself holds stay behind then, as they do in a redirect, and those of the client go where
    /// they belong. From `https` to `http` it never goes.
    public var allowsOtherOrigins = false

    /// The relation of the link that is followed; `next` unless set.
    public var relation = "next"

    /// Makes options with the defaults.
    public init() {}
}
