import Crypto
import Foundation

/// A JSON Web Key (RFC 7517), public, private or symmetric. Its description contains no private members.
public struct JsonWebKey: Sendable, Equatable {
    /// All members of the JSON object.
    public let members: [String: JsonValue]

    /// Creates a key from its members.
    public init(members: [String: JsonValue]) { self.members = members }

    /// The key type (`kty`).
    public var keyType: String? { members["kty"]?.string }
    /// The key identifier (`kid`).
    public var keyID: String? { members["kid"]?.string }
    /// The intended use (`use`): `sig` or `enc`.
    public var use: String? { members["use"]?.string }
    /// The algorithm that the key is for (`alg`).
    public var algorithm: String? { members["alg"]?.string }

    /// Returns the SHA-256 thumbprint in base64url (RFC 7638).
    public func thumbprint() throws(JoseError) -> String {
        let type = try knownType
        var required: [String: JsonValue] = [:]
        for name in type.requiredMembers {
            guard let value = members[name], value.string != nil else {
                throw JoseError(.malformed, "The key has no string named \(name).")
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

extension JsonWebKey {
    /// Returns the public key on P-256 with a point: its x and y coordinates, 32 bytes each.
    package static func p256(publicPoint point: Data) -> JsonWebKey {
        JsonWebKey(members: [
            "kty": "EC", "crv": "P-256", "x": .string(Base64Url.encode(point.prefix(32))),
            "y": .string(Base64Url.encode(point.suffix(32))),
        ])
    }
}

extension JsonWebKey: Codable {
    /// Decodes the members.
    public init(from decoder: any Decoder) throws { members = try [String: JsonValue](from: decoder) }

    /// Encodes the members, including the private ones.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

extension JsonWebKey: CustomStringConvertible, CustomReflectable {
    /// The key type and identifier.
    public var description: String { "\(keyType ?? "unknown") key" + (keyID.map { " \($0)" } ?? "") }

    /// The public members, so that `dump` prints no secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["members": publicKey.members], displayStyle: .struct)
    }
}

extension JsonWebKey {
    /// The key type, if it is supported.
    var knownType: KeyType {
        get throws(JoseError) {
            guard let type = keyType.flatMap(KeyType.init) else {
                throw JoseError(.key, "The key type is not supported (kty).")
            }
            return type
        }
    }

    /// The curve, if it is supported and matches the key type.
    var knownCurve: EllipticCurve {
        get throws(JoseError) {
            guard let curve = members["crv"]?.string.flatMap(EllipticCurve.init),
                try knownType == (curve.hasTwoCoordinates ? .ellipticCurve : .octetPair)
            else { throw JoseError(.key, "The curve of the key is not supported (crv).") }
            return curve
        }
    }

    /// Returns the bytes of a member in base64url.
    func bytes(_ name: String, count: Int? = nil) throws(JoseError) -> Data {
        guard let text = members[name]?.string else {
            throw JoseError(.malformed, "The key has no string named \(name).")
        }
        guard let bytes = Base64Url.decode(text), !bytes.isEmpty else {
            throw JoseError(.malformed, "The key's \(name) \(Base64Url.problem(with: text)).")
        }
        guard count == nil || bytes.count == count else {
            throw JoseError(.malformed, "The key's \(name) does not have the length that its curve requires.")
        }
        return bytes
    }

    /// A Boolean value that indicates whether the key has private members.
    var isPrivate: Bool { members["d"] != nil || members["k"] != nil }

    /// Throws an error if the members of the key do not allow a use.
    ///
    /// - Parameters:
    ///   - use: The required `use`: `sig` or `enc`.
    ///   - operations: The accepted operations. `key_ops`, if present, must contain one of them.
    ///   - algorithms: The accepted algorithms. `alg`, if present, must be one of them.
    func check(use: String, operations: Set<String>, algorithms: Set<String>) throws(JoseError) {
        if let own = members["use"], own.string != use {
            throw JoseError(.key, "The key is for another use (use).")
        }
        if let own = members["key_ops"] {
            guard let names = own.array?.compactMap(\.string), !operations.isDisjoint(with: names) else {
                throw JoseError(.key, "The key is for other operations (key_ops).")
            }
        }
        if let own = members["alg"], own.string.map(algorithms.contains) != true {
            throw JoseError(.key, "The key is for another algorithm (alg).")
        }
    }
}

/// The supported key types (`kty`).
enum KeyType: String {
    case rsa = "RSA"
    case ellipticCurve = "EC"
    case octetPair = "OKP"
    case symmetric = "oct"

    /// The required members of the public key, from which the thumbprint is computed (RFC 7638, section 3.2; RFC 8037,
    /// section 2).
    var requiredMembers: [String] {
        switch self {
        case .rsa: ["e", "kty", "n"]
        case .ellipticCurve: ["crv", "kty", "x", "y"]
        case .octetPair: ["crv", "kty", "x"]
        case .symmetric: ["k", "kty"]
        }
    }

    /// The members that are secret.
    static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
}

/// A set of keys (RFC 7517, section 5). Parsing ignores keys of unsupported types, a byte order mark, and members of keys that are `null`.
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
        let content = data.withoutByteOrderMark
        guard let entries = JsonReader.object(content, refusingDuplicates: false)?["keys"]?.array else {
            throw JoseError(.malformed, "The key set is not a JSON object with an array named keys.")
        }
        guard entries.count <= Self.maximumCount else {
            throw JoseError(.tooLarge, "The key set has \(entries.count) keys; the maximum is \(Self.maximumCount).")
        }
        keys = entries.compactMap { entry in
            guard let members = entry.object, let type = members["kty"]?.string, KeyType(rawValue: type) != nil else {
                return nil
            }
            return JsonWebKey(members: members.filter { $0.value != .null })
        }
    }
}

extension JsonWebKeySet: Codable {
    private enum CodingKeys: String, CodingKey { case keys }
}
