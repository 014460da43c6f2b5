import Crypto
import CryptoExtras
import Foundation

extension JsonWebKey {
    private static let maximumModulusLength = 1024

    /// Returns the public point: both coordinates as in X9.63, or the encoding of a point of Ed25519 or X25519.
    ///
    /// - Throws: ``JoseError`` for a missing coordinate, and for a point of small order of Ed25519.
    func publicPoint() throws(JoseError) -> Data {
        let curve = try knownCurve
        let x = try bytes("x", count: curve.length)
        if curve == .ed25519, Ed25519Point.hasSmallOrder(x) {
            throw JoseError(.key, "The public key has a small order: anybody can make signatures that it verifies.")
        }
        return curve.hasTwoCoordinates ? try Data([4]) + x + bytes("y", count: curve.length) : x
    }

    /// The public key of RSA; small and huge ones are refused.
    func rsaPublicKey() throws(JoseError) -> _RSA.Signing.PublicKey {
        let (modulus, exponent) = try rsaNumbers()
        return try reading { try _RSA.Signing.PublicKey(n: modulus, e: exponent) }
    }

    /// The private key of RSA.
    func rsaPrivateKey() throws(JoseError) -> _RSA.Signing.PrivateKey {
        let (modulus, exponent) = try rsaNumbers()
        let number = try bytes("d")
        guard members["oth"] == nil else { throw JoseError(.key, "Keys of more than two primes are not known here.") }
        guard members["p"] != nil || members["q"] != nil else {
            return try reading { try _RSA.Signing.PrivateKey._createFromNumbers(n: modulus, e: exponent, d: number) }
        }
        let primes = (try bytes("p"), try bytes("q"))
        return try reading {
            try _RSA.Signing.PrivateKey(n: modulus, e: exponent, d: number, p: primes.0, q: primes.1)
        }
    }

    private func rsaNumbers() throws(JoseError) -> (modulus: Data, exponent: Data) {
        guard try knownType == .rsa else { throw JoseError(.key, "The algorithm takes a key of RSA.") }
        let modulus = try bytes("n").drop { $0 == 0 }
        let exponent = try bytes("e")
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bits >= 2048 else {
            throw JoseError(.key, "The key of RSA has \(bits) bits, and at least 2048 are needed.")
        }
        guard modulus.count <= Self.maximumModulusLength else {
            throw JoseError(.tooLarge, "The key of RSA has \(bits) bits; no more than 8192 are taken.")
        }
        return (Data(modulus), exponent)
    }

    /// Does what a library does, with an error that says no more than that the numbers make no key.
    func reading<Key>(_ make: () throws -> Key) throws(JoseError) -> Key {
        do {
            return try make()
        } catch {
            throw JoseError(.key, "The numbers of the key make no key.")
        }
    }

    /// Refuses a private key whose public one is another key's.
    func agree(_ computed: Data, _ stated: Data) throws(JoseError) {
        guard computed == stated else {
            throw JoseError(.key, "The private number does not belong to the public point.")
        }
    }
}
