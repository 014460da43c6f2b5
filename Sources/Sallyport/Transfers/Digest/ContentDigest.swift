import Foundation

/// The digest that a file is expected to have, or has (RFC 9530).
public struct ContentDigest: Sendable, Hashable {
    /// The algorithms of RFC 9530 that are safe to rely on.
    public enum Algorithm: String, Sendable, CaseIterable, Codable {
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-512.
        case sha512 = "sha-512"
    }

    /// How it was made.
    public var algorithm: Algorithm

    /// Its bytes: 32 of SHA-256, 64 of SHA-512.
    public var value: Data

    /// Whether it was written in hexadecimal, and so is shown to whoever wrote it.
    var isHexadecimal = false

    /// Makes a digest of its bytes.
    public init(_ algorithm: Algorithm, _ value: Data) {
        self.algorithm = algorithm
        self.value = value
    }

    /// Two are equal that have the same algorithm and bytes, however they were written.
    public static func == (left: ContentDigest, right: ContentDigest) -> Bool {
        left.algorithm == right.algorithm && left.value == right.value
    }

    /// Hashes the algorithm and the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(algorithm)
        hasher.combine(value)
    }
}
