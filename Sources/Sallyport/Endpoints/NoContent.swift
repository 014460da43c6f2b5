/// What comes back from an endpoint of which only success counts. A body, if there is one, is not looked at.
public struct NoContent: Decodable, Sendable, Hashable {
    /// Makes one.
    public init() {}

    /// Reads nothing.
    public init(from decoder: any Decoder) {}
}
