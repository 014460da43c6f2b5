import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Digests of bytes that come piece by piece.
struct DigestComputation {
    private var sha256: SHA256?
    private var sha512: SHA512?

    /// - Parameter algorithms: The digests that are wanted.
    init(_ algorithms: Set<ContentDigest.Algorithm>) {
        if algorithms.contains(.sha256) { sha256 = SHA256() }
        if algorithms.contains(.sha512) { sha512 = SHA512() }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bufferPointer: bytes)
        sha512?.update(bufferPointer: bytes)
    }

    /// The digest of what has come so far.
    func digest(_ algorithm: ContentDigest.Algorithm) -> ContentDigest? {
        switch algorithm {
        case .sha256: sha256.map { ContentDigest(.sha256, Data($0.finalize())) }
        case .sha512: sha512.map { ContentDigest(.sha512, Data($0.finalize())) }
        }
    }
}

extension ContentDigest {
    /// The digest of bytes in memory.
    public static func of(_ bytes: Data, _ algorithm: Algorithm) -> ContentDigest {
        switch algorithm {
        case .sha256: ContentDigest(.sha256, Data(SHA256.hash(data: bytes)))
        case .sha512: ContentDigest(.sha512, Data(SHA512.hash(data: bytes)))
        }
    }
}
