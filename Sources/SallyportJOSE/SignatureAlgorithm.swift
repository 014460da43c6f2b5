import Crypto
import Foundation

/// The signature algorithms (RFC 7518, section 3; RFC 8037). `none` is not supported.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// HMAC with SHA-384.
    case hs384 = "HS384"
    /// HMAC with SHA-512.
    case hs512 = "HS512"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256.
    case ps256 = "PS256"
    /// RSASSA-PSS with SHA-384.
    case ps384 = "PS384"
    /// RSASSA-PSS with SHA-512.
    case ps512 = "PS512"
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// ECDSA with P-384 and SHA-384.
    case es384 = "ES384"
    /// ECDSA with P-521 and SHA-512.
    case es512 = "ES512"
    /// EdDSA with Ed25519 (RFC 8037).
    case edDSA = "EdDSA"
}

extension SignatureAlgorithm {
    /// `true` if the algorithm uses a shared secret (HMAC).
    public var isSymmetric: Bool { keyType == .symmetric }

    /// Returns the left half of a string's hash in base64url, for `at_hash` and `c_hash` (OpenID Connect Core, section
    /// 3.1.3.6).
    public func leftHalfHash(of text: String) -> String {
        let text = Data(text.utf8)
        let hash =
            switch digestLength {
            case 32: Data(SHA256.hash(data: text))
            case 48: Data(SHA384.hash(data: text))
            default: Data(SHA512.hash(data: text))
            }
        return Base64Url.encode(hash.prefix(hash.count / 2))
    }
}

extension JsonWebKey {
    /// Returns `true` if the type and the other members of the key allow verification with an algorithm.
    public func canVerify(_ algorithm: SignatureAlgorithm) -> Bool {
        do {
            try check(use: "sig", operations: ["verify"], algorithms: [algorithm.rawValue])
            guard try knownType == algorithm.keyType else { return false }
            return try algorithm.curve == nil || knownCurve == algorithm.curve
        } catch {
            return false
        }
    }
}

extension SignatureAlgorithm {
    /// The type of its keys.
    var keyType: KeyType {
        switch self {
        case .hs256, .hs384, .hs512: .symmetric
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256, .es384, .es512: .ellipticCurve
        case .edDSA: .octetPair
        }
    }

    /// The curve of its keys.
    var curve: EllipticCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA: .ed25519
        default: nil
        }
    }

    /// The length of the hash in bytes. Ed25519 has SHA-512.
    var digestLength: Int {
        switch self {
        case .hs256, .rs256, .ps256, .es256: 32
        case .hs384, .rs384, .ps384, .es384: 48
        case .hs512, .rs512, .ps512, .es512, .edDSA: 64
        }
    }
}
