import Foundation

/// A set of keys (RFC 7517, section 5). Keys of unsupported types are left out when it is parsed.
public struct JsonWebKeySet: Sendable, Equatable {
    private static let maximumLength = 1024 * 1024
    private static let maximumCount = 256

    /// The keys.
    public let keys: [JsonWebKey]

    /// Creates a set of keys.
    public init(_ keys: [JsonWebKey]) { self.keys = keys }

    /// Parses `{"keys": […]}`.
    public init(parsing data: Data) throws(JoseError) {
        guard data.count <= Self.maximumLength else {
            throw JoseError(.tooLarge, "The key set is longer than \(Self.maximumLength) bytes.")
        }
        guard let entries = JsonReader.object(data, refusingDuplicates: false)?["keys"]?.array else {
            throw JoseError(.malformed, "The key set is not a JSON object with an array named keys.")
        }
        guard entries.count <= Self.maximumCount else {
            throw JoseError(.tooLarge, "The key set has \(entries.count) keys; the maximum is \(Self.maximumCount).")
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
