import Crypto
import CryptoExtras
import Foundation

/// Converts keys of the crypto libraries to the members of JSON Web Keys.
enum KeyMembers {
    static func symmetric(_ secret: Data) -> [String: JsonValue] {
        ["kty": "oct", "k": .string(Base64Url.encode(secret))]
    }

    static func p256(_ key: P256.Signing.PrivateKey) -> [String: JsonValue] {
        curve(.p256, key.publicKey.rawRepresentation, key.rawRepresentation)
    }

    static func p384(_ key: P384.Signing.PrivateKey) -> [String: JsonValue] {
        curve(.p384, key.publicKey.rawRepresentation, key.rawRepresentation)
    }

    static func p521(_ key: P521.Signing.PrivateKey) -> [String: JsonValue] {
        curve(.p521, key.publicKey.rawRepresentation, key.rawRepresentation)
    }

    static func ed25519(_ key: Curve25519.Signing.PrivateKey) -> [String: JsonValue] {
        curve(.ed25519, key.publicKey.rawRepresentation, key.rawRepresentation)
    }

    /// Returns the members of a key on a curve.
    ///
    /// - Parameters:
    ///   - curve: The curve.
    ///   - point: The x coordinate, followed by the y coordinate if the curve has two.
    ///   - number: The private number; empty for a public key.
    static func curve(_ curve: EllipticCurve, _ point: Data, _ number: Data) -> [String: JsonValue] {
        var members: [String: JsonValue] = [
            "kty": curve.hasTwoCoordinates ? "EC" : "OKP",
            "crv": .string(curve.rawValue),
            "x": .string(Base64Url.encode(point.prefix(curve.length))),
        ]
        if curve.hasTwoCoordinates { members["y"] = .string(Base64Url.encode(point.suffix(curve.length))) }
        if !number.isEmpty { members["d"] = .string(Base64Url.encode(number)) }
        return members
    }

    /// Returns a Boolean value that indicates whether a PKCS #8 key is on a curve, either Ed25519 or X25519.
    ///
    /// Keys on both curves have the same format except for this identifier (RFC 8410, section 3), which swift-crypto
    /// does not check.
    static func isKey(inPem pem: String, on curve: EllipticCurve) -> Bool {
        let body = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-") }.joined()
        guard let bytes = Data(base64Encoded: body) else { return false }
        let identifier: [UInt8] = [0x06, 0x03, 0x2B, 0x65, curve == .ed25519 ? 0x70 : 0x6E]
        return bytes.dropFirst(7).starts(with: identifier)
    }

    /// Returns the members of a private RSA key.
    ///
    /// - Throws: ``JoseError`` for a key that ``JsonWebKey/rsaNumbers()`` refuses.
    static func rsa(_ key: _RSA.Signing.PrivateKey) throws(JoseError) -> [String: JsonValue] {
        // In the order of PKCS #1, which begins with a version number.
        let names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"]
        guard let numbers = DerIntegers.read(key.derRepresentation), numbers.count == names.count + 1 else {
            throw JoseError(.key, "The numbers of the RSA key cannot be read.")
        }
        var members: [String: JsonValue] = ["kty": "RSA"]
        for (name, number) in zip(names, numbers.dropFirst()) { members[name] = .string(Base64Url.encode(number)) }
        _ = try JsonWebKey(members: members).rsaNumbers()
        return members
    }
}

extension JsonWebKey {
    /// The signature algorithm: `alg`, or else the default for the key type and curve.
    var impliedAlgorithm: SignatureAlgorithm {
        get throws(JoseError) {
            if let name = members["alg"] {
                guard let algorithm = name.string.flatMap(SignatureAlgorithm.init) else {
                    throw JoseError(.algorithm, "The key is not for a supported signature algorithm (alg).")
                }
                return algorithm
            }
            switch try knownType {
            case .symmetric: return .hs256
            case .rsa: return .rs256
            case .ellipticCurve, .octetPair:
                let curve = try knownCurve
                guard let algorithm = SignatureAlgorithm.allCases.first(where: { $0.curve == curve }) else {
                    throw JoseError(.key, "Keys on \(curve.rawValue) are not for signatures.")
                }
                return algorithm
            }
        }
    }

    /// Returns the members that are needed to sign, after validating them.
    func signingMembers(for algorithm: SignatureAlgorithm) throws(JoseError) -> [String: JsonValue] {
        switch algorithm.keyType {
        case .symmetric:
            _ = try secret(for: algorithm)
            return KeyMembers.symmetric(try bytes("k"))
        case .rsa:
            return try KeyMembers.rsa(rsaPrivateKey())
        case .ellipticCurve, .octetPair:
            let point = try point(on: algorithm)
            let curve = try knownCurve
            let number = try bytes("d", count: curve.length)
            try check(publicPoint(of: number, on: curve), matches: point)
            return KeyMembers.curve(curve, curve.hasTwoCoordinates ? point.dropFirst() : point, number)
        }
    }

    /// Returns the public point of a private number.
    func publicPoint(of number: Data, on curve: EllipticCurve) throws(JoseError) -> Data {
        try withKeyErrors {
            switch curve {
            case .p256: try P256.Signing.PrivateKey(rawRepresentation: number).publicKey.x963Representation
            case .p384: try P384.Signing.PrivateKey(rawRepresentation: number).publicKey.x963Representation
            case .p521: try P521.Signing.PrivateKey(rawRepresentation: number).publicKey.x963Representation
            case .ed25519: try Curve25519.Signing.PrivateKey(rawRepresentation: number).publicKey.rawRepresentation
            case .x25519: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: number).publicKey.rawRepresentation
            }
        }
    }
}

/// Parses a DER sequence of positive integers, such as an RSA key in PKCS #1.
private enum DerIntegers {
    /// Returns the numbers without leading zeros, or `nil` if the data contains anything else.
    static func read(_ data: Data) -> [Data]? {
        var bytes = data[...]
        guard var content = element(0x30, of: &bytes), bytes.isEmpty else { return nil }
        var numbers: [Data] = []
        while !content.isEmpty {
            guard let number = element(0x02, of: &content) else { return nil }
            numbers.append(Data(number.drop { $0 == 0 }))
        }
        return numbers
    }

    private static func element(_ tag: UInt8, of bytes: inout Data.SubSequence) -> Data.SubSequence? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard first <= 0x84 else { return nil }
            length = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = bytes.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
