import Crypto
import CryptoExtras
import Foundation

extension JsonWebKey {
    /// Returns `true` if a signature was made with exactly this key and algorithm.
    ///
    /// - Throws: ``JoseError`` if the key cannot be used for the algorithm.
    func isValid(
        _ signature: Data,
        of text: Data,
        by algorithm: SignatureAlgorithm
    ) throws(JoseError) -> Bool {
        try check(use: "sig", operations: ["verify"], algorithms: [algorithm.rawValue])
        switch algorithm {
        case .hs256: return try isCode(signature, of: text, by: algorithm, SHA256.self)
        case .hs384: return try isCode(signature, of: text, by: algorithm, SHA384.self)
        case .hs512: return try isCode(signature, of: text, by: algorithm, SHA512.self)
        case .rs256: return try isRSA(signature, of: SHA256.hash(data: text), .insecurePKCS1v1_5)
        case .rs384: return try isRSA(signature, of: SHA384.hash(data: text), .insecurePKCS1v1_5)
        case .rs512: return try isRSA(signature, of: SHA512.hash(data: text), .insecurePKCS1v1_5)
        case .ps256: return try isRSA(signature, of: SHA256.hash(data: text), .PSS)
        case .ps384: return try isRSA(signature, of: SHA384.hash(data: text), .PSS)
        case .ps512: return try isRSA(signature, of: SHA512.hash(data: text), .PSS)
        case .es256:
            let point = try point(on: algorithm)
            let key = try withKeyErrors { try P256.Signing.PublicKey(x963Representation: point) }
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            return signature.map { key.isValidSignature($0, for: text) } ?? false
        case .es384:
            let point = try point(on: algorithm)
            let key = try withKeyErrors { try P384.Signing.PublicKey(x963Representation: point) }
            let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            return signature.map { key.isValidSignature($0, for: text) } ?? false
        case .es512:
            let point = try point(on: algorithm)
            let key = try withKeyErrors { try P521.Signing.PublicKey(x963Representation: point) }
            let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            return signature.map { key.isValidSignature($0, for: text) } ?? false
        case .edDSA:
            let point = try point(on: algorithm)
            let key = try withKeyErrors { try Curve25519.Signing.PublicKey(rawRepresentation: point) }
            return key.isValidSignature(signature, for: text)
        }
    }

    /// Returns a signature by exactly this key and algorithm.
    ///
    /// - Throws: ``JoseError`` if the key cannot be used for the algorithm.
    func signature(of text: Data, by algorithm: SignatureAlgorithm) throws(JoseError) -> Data {
        try check(use: "sig", operations: ["sign"], algorithms: [algorithm.rawValue])
        switch algorithm {
        case .hs256: return try code(of: text, by: algorithm, SHA256.self)
        case .hs384: return try code(of: text, by: algorithm, SHA384.self)
        case .hs512: return try code(of: text, by: algorithm, SHA512.self)
        case .rs256: return try rsaSignature(of: SHA256.hash(data: text), .insecurePKCS1v1_5)
        case .rs384: return try rsaSignature(of: SHA384.hash(data: text), .insecurePKCS1v1_5)
        case .rs512: return try rsaSignature(of: SHA512.hash(data: text), .insecurePKCS1v1_5)
        case .ps256: return try rsaSignature(of: SHA256.hash(data: text), .PSS)
        case .ps384: return try rsaSignature(of: SHA384.hash(data: text), .PSS)
        case .ps512: return try rsaSignature(of: SHA512.hash(data: text), .PSS)
        case .es256:
            let number = try privateNumber(for: algorithm)
            let key = try withKeyErrors { try P256.Signing.PrivateKey(rawRepresentation: number) }
            return try signed { try key.signature(for: text).rawRepresentation }
        case .es384:
            let number = try privateNumber(for: algorithm)
            let key = try withKeyErrors { try P384.Signing.PrivateKey(rawRepresentation: number) }
            return try signed { try key.signature(for: text).rawRepresentation }
        case .es512:
            let number = try privateNumber(for: algorithm)
            let key = try withKeyErrors { try P521.Signing.PrivateKey(rawRepresentation: number) }
            return try signed { try key.signature(for: text).rawRepresentation }
        case .edDSA:
            let number = try privateNumber(for: algorithm)
            let key = try withKeyErrors { try Curve25519.Signing.PrivateKey(rawRepresentation: number) }
            return try signed { try key.signature(for: text) }
        }
    }

    // MARK: HMAC

    private func isCode<Hash: HashFunction>(
        _ code: Data,
        of text: Data,
        by algorithm: SignatureAlgorithm,
        _: Hash.Type
    ) throws(JoseError) -> Bool {
        HMAC<Hash>.isValidAuthenticationCode(code, authenticating: text, using: try secret(for: algorithm))
    }

    private func code<Hash: HashFunction>(
        of text: Data,
        by algorithm: SignatureAlgorithm,
        _: Hash.Type
    ) throws(JoseError) -> Data {
        Data(HMAC<Hash>.authenticationCode(for: text, using: try secret(for: algorithm)))
    }

    /// Returns the secret of a symmetric key.
    ///
    /// - Throws: ``JoseError`` for a secret that is shorter than the hash of the algorithm, or a key in PEM.
    func secret(for algorithm: SignatureAlgorithm) throws(JoseError) -> SymmetricKey {
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
        return SymmetricKey(data: secret)
    }

    // MARK: RSA

    private func isRSA(
        _ signature: Data,
        of digest: some Digest,
        _ padding: _RSA.Signing.Padding
    ) throws(JoseError) -> Bool {
        try rsaPublicKey().isValidSignature(.init(rawRepresentation: signature), for: digest, padding: padding)
    }

    private func rsaSignature(of digest: some Digest, _ padding: _RSA.Signing.Padding) throws(JoseError) -> Data {
        let key = try rsaPrivateKey()
        return try signed { try key.signature(for: digest, padding: padding).rawRepresentation }
    }

    /// Runs a closure that signs, and replaces the errors of the crypto library.
    private func signed(_ sign: () throws -> Data) throws(JoseError) -> Data {
        do {
            return try sign()
        } catch {
            throw JoseError(.key, "The key cannot sign.")
        }
    }

    // MARK: Elliptic curves

    /// Returns the private number of a key on the curve of the algorithm.
    ///
    /// - Throws: ``JoseError`` if the public point of the key is another one.
    private func privateNumber(for algorithm: SignatureAlgorithm) throws(JoseError) -> Data {
        let point = try point(on: algorithm)
        let curve = try knownCurve
        let number = try bytes("d", count: curve.length)
        try check(publicPoint(of: number, on: curve), matches: point)
        return number
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
