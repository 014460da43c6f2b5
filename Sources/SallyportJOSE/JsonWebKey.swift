/// A key in JSON (RFC 7517), private members included if it has them.
public struct JsonWebKey: Sendable, Equatable {
    /// All members as they are in the JSON.
    public let members: [String: JsonValue]

    /// Makes a key of its members.
    public init(members: [String: JsonValue]) { self.members = members }

    /// `kty`
    public var keyType: String? { members["kty"]?.string }
    /// `kid`
    public var keyID: String? { members["kid"]?.string }
    /// `use`
    public var use: String? { members["use"]?.string }
    /// `alg`
    public var algorithm: String? { members["alg"]?.string }
    /// The SHA-256 thumbprint in base64url (RFC 7638).
    public func thumbprint() throws(JoseError) -> String { fatalError("stub") }
    /// The key without its private members.
    public var publicKey: JsonWebKey { fatalError("stub") }
}

extension JsonWebKey: Codable {
    public init(from decoder: any Decoder) throws { members = try [String: JsonValue](from: decoder) }
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
