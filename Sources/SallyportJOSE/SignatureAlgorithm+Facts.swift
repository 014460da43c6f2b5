import Crypto
import Foundation

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
