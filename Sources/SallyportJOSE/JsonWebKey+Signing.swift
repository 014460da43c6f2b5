import Crypto
import CryptoExtras
import Foundation
import JWTKit

extension JsonWebKey {
    /// Returns a verifier for exactly this key and algorithm.
    func verifier(for algorithm: SignatureAlgorithm) async throws(JoseError) -> any JWTAlgorithm {
        try check(use: "sig", operations: ["verify"], algorithms: [algorithm.rawValue])
        return try await only(in: publicKeys(for: algorithm))
    }

    /// Returns a signer for exactly this key and algorithm.
    func signer(for algorithm: SignatureAlgorithm) async throws(JoseError) -> any JWTAlgorithm {
        try check(use: "sig", operations: ["sign"], algorithms: [algorithm.rawValue])
        return try await only(in: privateKeys(for: algorithm))
    }

    /// Returns the only key of a collection.
    ///
    /// Each collection has one key, because JWTKit would use another key of the collection if the requested one is
    /// missing.
    private func only(in keys: JWTKeyCollection) async throws(JoseError) -> any JWTAlgorithm {
        guard let key = try? await keys.getKey() else { throw JoseError(.key, "The key cannot be used.") }
        return key
    }

    private func publicKeys(for algorithm: SignatureAlgorithm) async throws(JoseError) -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        switch algorithm.keyType {
        case .symmetric:
            return try await keys.add(hmac: hmacKey(for: algorithm), digestAlgorithm: algorithm.digest)
        case .rsa:
            let key = try rsaPublicKey()
            let wrapped = try withKeyErrors { try Insecure.RSA.PublicKey(backing: key) }
            return await algorithm.isPSS
                ? keys.add(pss: wrapped, digestAlgorithm: algorithm.digest)
                : keys.add(rsa: wrapped, digestAlgorithm: algorithm.digest)
        case .ellipticCurve, .octetPair:
            let point = try point(on: algorithm)
            switch algorithm {
            case .es256:
                let key = try withKeyErrors {
                    try ES256PublicKey(backing: P256.Signing.PublicKey(x963Representation: point))
                }
                return await keys.add(ecdsa: key)
            case .es384:
                let key = try withKeyErrors {
                    try ES384PublicKey(backing: P384.Signing.PublicKey(x963Representation: point))
                }
                return await keys.add(ecdsa: key)
            case .es512:
                let key = try withKeyErrors {
                    try ES512PublicKey(backing: P521.Signing.PublicKey(x963Representation: point))
                }
                return await keys.add(ecdsa: key)
            default:
                let key = try withKeyErrors { try Curve25519.Signing.PublicKey(rawRepresentation: point) }
                return await keys.add(eddsa: EdDSA.PublicKey(backing: key))
            }
        }
    }

    private func privateKeys(for algorithm: SignatureAlgorithm) async throws(JoseError) -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        switch algorithm.keyType {
        case .symmetric:
            return try await keys.add(hmac: hmacKey(for: algorithm), digestAlgorithm: algorithm.digest)
        case .rsa:
            let key = try rsaPrivateKey()
            let wrapped = try withKeyErrors { try Insecure.RSA.PrivateKey(backing: key) }
            return await algorithm.isPSS
                ? keys.add(pss: wrapped, digestAlgorithm: algorithm.digest)
                : keys.add(rsa: wrapped, digestAlgorithm: algorithm.digest)
        case .ellipticCurve, .octetPair:
            let point = try point(on: algorithm)
            let curve = try knownCurve
            let number = try bytes("d", count: curve.length)
            try check(publicPoint(of: number, on: curve), matches: point)
            switch algorithm {
            case .es256:
                let key = try withKeyErrors { try P256.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(ecdsa: try withKeyErrors { try ES256PrivateKey(backing: key) })
            case .es384:
                let key = try withKeyErrors { try P384.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(ecdsa: try withKeyErrors { try ES384PrivateKey(backing: key) })
            case .es512:
                let key = try withKeyErrors { try P521.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(ecdsa: try withKeyErrors { try ES512PrivateKey(backing: key) })
            default:
                let key = try withKeyErrors { try Curve25519.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(eddsa: EdDSA.PrivateKey(backing: key))
            }
        }
    }

    func hmacKey(for algorithm: SignatureAlgorithm) throws(JoseError) -> HMACKey {
        guard try knownType == .symmetric else {
            throw JoseError(.key, "\(algorithm.rawValue) requires a symmetric key, and this key has another type.")
        }
        let secret = try bytes("k")
        guard secret.count >= algorithm.digestLength else {
            throw JoseError(.key, "A key for \(algorithm.rawValue) must have at least \(algorithm.digestLength) bytes.")
        }
        guard !secret.starts(with: Data("-----BEGIN ".utf8)) else {
            throw JoseError(.key, "The secret for \(algorithm.rawValue) is a key in PEM, which may be public.")
        }
        return HMACKey(from: secret)
    }

    /// Returns the public point of a key on the curve of the algorithm.
    func point(on algorithm: SignatureAlgorithm) throws(JoseError) -> Data {
        guard try knownType == algorithm.keyType, try knownCurve == algorithm.curve else {
            throw JoseError(
                .key,
                "\(algorithm.rawValue) requires a key on \(algorithm.curve?.rawValue ?? "its curve")."
            )
        }
        return try publicPoint()
    }
}
