import Foundation

/// The keys of a server (RFC 7517, section 5), read one by one: one that is not known does not spoil the others.
public struct JsonWebKeySet: Sendable, Equatable {
    private static let maximumLength = 1024 * 1024
    private static let maximumCount = 256

    /// The keys.
    public let keys: [JsonWebKey]

    /// Makes a set of keys.
    public init(_ keys: [JsonWebKey]) { self.keys = keys }

    /// Reads `{"keys": […]}`.
    public init(parsing data: Data) throws(JoseError) {
        guard data.count <= Self.maximumLength else {
            throw JoseError(.tooLarge, "The set of keys is longer than \(Self.maximumLength) bytes.")
        }
        guard let entries = JsonReader.object(data, refusingDuplicates: false)?["keys"]?.array else {
            throw JoseError(.malformed, "The set of keys is not an object of JSON with a list named keys.")
        }
        guard entries.count <= Self.maximumCount else {
            throw JoseError(.tooLarge, "The set has \(entries.count) keys; no more than \(Self.maximumCount) are read.")
        }
        keys = entries.compactMap { entry in
            guard let members = entry.object, let type = members["kty"]?.string, KeyType(rawValue: type) != nil else {
                return nil
            }
            return JsonWebKey(members: members)
        }
    }
}

extension JsonWebKeySet: Codable {
    private enum CodingKeys: String, CodingKey { case keys }
}
