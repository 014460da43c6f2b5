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
            throw JoseError(.key, "The public key has a small order: anybody can make valid signatures for it.")
        }
        return curve.hasTwoCoordinates ? try Data([4]) + x + bytes("y", count: curve.length) : x
    }

    /// Returns the public RSA key.
    func rsaPublicKey() throws(JoseError) -> _RSA.Signing.PublicKey {
        let (modulus, exponent) = try rsaNumbers()
        return try withKeyErrors { try _RSA.Signing.PublicKey(n: modulus, e: exponent) }
    }

    /// Returns the private RSA key.
    func rsaPrivateKey() throws(JoseError) -> _RSA.Signing.PrivateKey {
        let (modulus, exponent) = try rsaNumbers()
        let number = try bytes("d")
        guard members["oth"] == nil else {
            throw JoseError(.key, "RSA keys with more than two primes are not supported.")
        }
        guard members["p"] != nil || members["q"] != nil else {
            return try withKeyErrors {
                try _RSA.Signing.PrivateKey._createFromNumbers(n: modulus, e: exponent, d: number)
            }
        }
        let primes = (try bytes("p"), try bytes("q"))
        return try withKeyErrors {
            try _RSA.Signing.PrivateKey(n: modulus, e: exponent, d: number, p: primes.0, q: primes.1)
        }
    }

    /// Returns the modulus and the public exponent of an RSA key.
    ///
    /// - Throws: ``JoseError`` for a key that is too small, too large, or that has the ROCA weakness.
    func rsaNumbers() throws(JoseError) -> (modulus: Data, exponent: Data) {
        guard try knownType == .rsa else { throw JoseError(.key, "The algorithm requires an RSA key.") }
        let modulus = try bytes("n").drop { $0 == 0 }
        let exponent = try bytes("e")
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bits >= 2048 else {
            throw JoseError(.key, "The RSA key has \(bits) bits; the minimum is 2048.")
        }
        guard modulus.count <= Self.maximumModulusLength else {
            throw JoseError(.tooLarge, "The RSA key has \(bits) bits; the maximum is 8192.")
        }
        guard !RocaFingerprint.matches(modulus) else {
            throw JoseError(
                .key,
                """
                The RSA key has the ROCA weakness (CVE-2017-15361): others can compute its private key. \
                Generate a new key with other hardware or software.
                """
            )
        }
        return (Data(modulus), exponent)
    }

    /// Runs a closure that uses a crypto library, and replaces its errors with one that contains no secret.
    func withKeyErrors<Value>(_ work: () throws -> Value) throws(JoseError) -> Value {
        do {
            return try work()
        } catch {
            throw JoseError(.key, "The numbers of the key are invalid.")
        }
    }

    /// Throws an error if the public point of a private number differs from the public point of the key.
    func check(_ computed: Data, matches point: Data) throws(JoseError) {
        guard computed == point else {
            throw JoseError(.key, "The private key does not belong to the public key.")
        }
    }
}

/// Detects RSA moduli that the vulnerable Infineon library generated (ROCA, CVE-2017-15361).
///
/// That library generated primes of the form `k * M + 65537^a mod M`, where `M` is the product of the first primes. The
/// product of two such primes is a power of 65537 modulo each prime factor of `M`. Any other modulus has this property
/// with a probability of 2^-27.
private enum RocaFingerprint {
    /// The prime factors of the smallest `M`, except those modulo which every residue but 0 is a power of 65537.
    private static let primes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

    /// Returns a Boolean value that indicates whether a modulus, in big-endian bytes, has the fingerprint.
    static func matches(_ modulus: Data) -> Bool {
        primes.allSatisfy { prime in
            let residue = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            repeat {
                if power == residue { return true }
                power = power * 65537 % prime
            } while power != 1
            return false
        }
    }
}
