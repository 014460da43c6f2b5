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

extension JsonWebKey {
    /// The kind, if it is known.
    var knownType: KeyType {
        get throws(JoseError) {
            guard let type = keyType.flatMap(KeyType.init) else {
                throw JoseError(.key, "The key is of no kind that is known (kty).")
            }
            return type
        }
    }

    /// The curve, if it is known and fits the kind.
    var knownCurve: EllipticCurve {
        get throws(JoseError) {
            guard let curve = members["crv"]?.string.flatMap(EllipticCurve.init),
                try knownType == (curve.hasTwoCoordinates ? .ellipticCurve : .octetPair)
            else { throw JoseError(.key, "The key is on no curve that is known (crv).") }
            return curve
        }
    }

    /// A member in bytes.
    func bytes(_ name: String, count: Int? = nil) throws(JoseError) -> Data {
        guard let bytes = members[name]?.string.flatMap({ Base64Url.decode($0) }), !bytes.isEmpty else {
            throw JoseError(.malformed, "The key has no base64url text named \(name).")
        }
        guard count == nil || bytes.count == count else {
            throw JoseError(.malformed, "The key's \(name) has not the length that its curve demands.")
        }
        return bytes
    }

    /// Whether it has its private members.
    var isPrivate: Bool { members["d"] != nil || members["k"] != nil }

    /// Refuses the key if it says itself that it is for other things.
    ///
    /// - Parameters:
    ///   - use: `sig` or `enc`.
    ///   - operations: The `key_ops` of which one has to be there, if any are.
    ///   - algorithms: The `alg` of which one has to be there, if any is.
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

/// The kinds of keys (`kty`) that are known.
enum KeyType: String {
    case rsa = "RSA"
    case ellipticCurve = "EC"
    case octetPair = "OKP"
    case symmetric = "oct"

    /// The members that make the key, and so its thumbprint (RFC 7638, section 3.2; RFC 8037, section 2).
    var requiredMembers: [String] {
        switch self {
        case .rsa: ["e", "kty", "n"]
        case .ellipticCurve: ["crv", "kty", "x", "y"]
        case .octetPair: ["crv", "kty", "x"]
        case .symmetric: ["k", "kty"]
        }
    }

    /// The members that nobody else may see.
    static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
}
