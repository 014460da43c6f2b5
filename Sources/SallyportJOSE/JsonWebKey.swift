import Crypto
import Foundation

/// A key in JSON (RFC 7517), private members included if it has them; printing it does not show those.
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
    public func thumbprint() throws(JoseError) -> String {
        let type = try knownType
        var required: [String: JsonValue] = [:]
        for name in type.requiredMembers {
            guard let value = members[name], value.string != nil else {
                throw JoseError(.malformed, "The key has no text named \(name).")
            }
            required[name] = value
        }
        return try Base64Url.encode(Data(SHA256.hash(data: required.json())))
    }

    /// The key without its private members.
    public var publicKey: JsonWebKey {
        var members = members.filter { !KeyType.privateMembers.contains($0.key) }
        if let operations = members["key_ops"]?.array {
            let opposites = ["sign": "verify", "decrypt": "encrypt", "unwrapKey": "wrapKey"]
            let others = operations.compactMap { operation in operation.string.flatMap { opposites[$0] } }
            members["key_ops"] = .array(others.map(JsonValue.string))
        }
        return JsonWebKey(members: members)
    }
}

extension JsonWebKey: Codable {
    /// Reads the members.
    public init(from decoder: any Decoder) throws { members = try [String: JsonValue](from: decoder) }

    /// Writes the members, private ones included.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

extension JsonWebKey: CustomStringConvertible, CustomReflectable {
    /// Its kind and its name.
    public var description: String { "\(keyType ?? "unknown") key" + (keyID.map { " \($0)" } ?? "") }

    /// The public members, so that dumping shows no secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["members": publicKey.members], displayStyle: .struct)
    }
}
