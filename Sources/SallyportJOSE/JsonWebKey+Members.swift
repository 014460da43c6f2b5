import Foundation

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
