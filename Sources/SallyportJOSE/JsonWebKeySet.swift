import Foundation

/// The keys of a server (RFC 7517, section 5), read one by one: one that is not known does not spoil the others.
public struct JsonWebKeySet: Sendable, Equatable {
    /// The keys.
    public let keys: [JsonWebKey]

    /// Makes a set of keys.
    public init(_ keys: [JsonWebKey]) { self.keys = keys }

    /// Reads `{"keys": […]}`.
    public init(parsing data: Data) throws(JoseError) { fatalError("stub") }
}
