import Crypto
import Foundation
import JWTKit

/// How tokens are signed (RFC 7518, section 3; RFC 8037). `none` is not among them.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
}

extension SignatureAlgorithm {
    /// Whether both sides know the same secret (HMAC).
    public var isSymmetric: Bool { keyType == .symmetric }

    /// The left half of the hash of a text in base64url, as `at_hash` and `c_hash` have it (OpenID Connect Core, section 3.1.3.6).
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
    /// Whether the key is of the kind that the algorithm takes, and says of itself nothing that is against it.
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
    /// The kind of keys that it works with.
    var keyType: KeyType {
        switch self {
        case .hs256, .hs384, .hs512: .symmetric
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256, .es384, .es512: .ellipticCurve
        case .edDSA: .octetPair
        }
    }

    /// The curve that its keys are on.
    var curve: EllipticCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA: .ed25519
        default: nil
        }
    }

    /// The hash that it works with; SHA-512 for Ed25519.
    var digest: DigestAlgorithm {
        switch self {
        case .hs256, .rs256, .ps256, .es256: .sha256
        case .hs384, .rs384, .ps384, .es384: .sha384
        case .hs512, .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }

    /// How many bytes that hash has.
    var digestLength: Int {
        switch digest {
        case .sha256: 32
        case .sha384: 48
        default: 64
        }
    }

    /// Whether it is one of RSASSA-PSS.
    var isProbabilistic: Bool { [.ps256, .ps384, .ps512].contains(self) }
}
