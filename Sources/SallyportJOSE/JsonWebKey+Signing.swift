import Crypto
import CryptoExtras
import Foundation
import JWTKit

extension JsonWebKey {
    /// What verifies with exactly this key and algorithm.
    func verifier(for algorithm: SignatureAlgorithm) async throws(JoseError) -> any JWTAlgorithm {
        try check(use: "sig", operations: ["verify"], algorithms: [algorithm.rawValue])
        return try await only(in: publicKeys(for: algorithm))
    }

    /// What signs with exactly this key and algorithm.
    func signer(for algorithm: SignatureAlgorithm) async throws(JoseError) -> any JWTAlgorithm {
        try check(use: "sig", operations: ["sign"], algorithms: [algorithm.rawValue])
        return try await only(in: privateKeys(for: algorithm))
    }

    /// Takes the one key of the collection: it is never asked to choose, as it would fall back to another one.
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
            let wrapped = try reading { try Insecure.RSA.PublicKey(backing: key) }
            return await algorithm.isProbabilistic
                ? keys.add(pss: wrapped, digestAlgorithm: algorithm.digest)
                : keys.add(rsa: wrapped, digestAlgorithm: algorithm.digest)
        case .ellipticCurve, .octetPair:
            let point = try point(on: algorithm)
            switch algorithm {
            case .es256:
                let key = try reading { try ES256PublicKey(backing: P256.Signing.PublicKey(x963Representation: point)) }
                return await keys.add(ecdsa: key)
            case .es384:
                let key = try reading { try ES384PublicKey(backing: P384.Signing.PublicKey(x963Representation: point)) }
                return await keys.add(ecdsa: key)
            case .es512:
                let key = try reading { try ES512PublicKey(backing: P521.Signing.PublicKey(x963Representation: point)) }
                return await keys.add(ecdsa: key)
            default:
                let key = try reading { try Curve25519.Signing.PublicKey(rawRepresentation: point) }
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
            let wrapped = try reading { try Insecure.RSA.PrivateKey(backing: key) }
            return await algorithm.isProbabilistic
                ? keys.add(pss: wrapped, digestAlgorithm: algorithm.digest)
                : keys.add(rsa: wrapped, digestAlgorithm: algorithm.digest)
        case .ellipticCurve, .octetPair:
            let point = try point(on: algorithm)
            let curve = try knownCurve
            let number = try bytes("d", count: curve.length)
            try agree(publicPoint(of: number, on: curve), point)
            switch algorithm {
            case .es256:
                let key = try reading { try P256.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(ecdsa: try reading { try ES256PrivateKey(backing: key) })
            case .es384:
                let key = try reading { try P384.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(ecdsa: try reading { try ES384PrivateKey(backing: key) })
            case .es512:
                let key = try reading { try P521.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(ecdsa: try reading { try ES512PrivateKey(backing: key) })
            default:
                let key = try reading { try Curve25519.Signing.PrivateKey(rawRepresentation: number) }
                return await keys.add(eddsa: EdDSA.PrivateKey(backing: key))
            }
        }
    }

    func hmacKey(for algorithm: SignatureAlgorithm) throws(JoseError) -> HMACKey {
        guard try knownType == .symmetric else {
            throw JoseError(.key, "\(algorithm.rawValue) takes a symmetric key, and this key is of another kind.")
        }
        let secret = try bytes("k")
        guard secret.count >= algorithm.digestLength else {
            throw JoseError(.key, "A key for \(algorithm.rawValue) has at least \(algorithm.digestLength) bytes.")
        }
        guard !secret.starts(with: Data("-----BEGIN ".utf8)) else {
            throw JoseError(.key, "A key in PEM is no secret that \(algorithm.rawValue) can be trusted with.")
        }
        return HMACKey(from: secret)
    }

    /// The public point, on the curve of the algorithm.
    func point(on algorithm: SignatureAlgorithm) throws(JoseError) -> Data {
        guard try knownType == algorithm.keyType, try knownCurve == algorithm.curve else {
            throw JoseError(.key, "\(algorithm.rawValue) takes a key on \(algorithm.curve?.rawValue ?? "its curve").")
        }
        return try publicPoint()
    }
}
