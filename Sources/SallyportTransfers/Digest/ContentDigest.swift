import Foundation
import Sallyport
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The digest of a file (RFC 9530).
public struct ContentDigest: Sendable, Hashable {
    /// The algorithms of RFC 9530 that are considered secure.
    public enum Algorithm: String, Sendable, CaseIterable, Codable {
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-512.
        case sha512 = "sha-512"
    }

    /// The algorithm.
    public var algorithm: Algorithm

    /// The bytes of the digest: 32 for SHA-256, 64 for SHA-512.
    public var value: Data

    /// A Boolean value that indicates whether the digest was parsed from hexadecimal, so that messages show it in
    /// hexadecimal.
    var isHexadecimal = false

    /// Creates a digest from its bytes.
    public init(_ algorithm: Algorithm, _ value: Data) {
        self.algorithm = algorithm
        self.value = value
    }

    /// Returns a Boolean value that indicates whether two digests have the same algorithm and bytes.
    public static func == (left: ContentDigest, right: ContentDigest) -> Bool {
        left.algorithm == right.algorithm && left.value == right.value
    }

    /// Hashes the algorithm and the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(algorithm)
        hasher.combine(value)
    }
}

extension ContentDigest: CustomStringConvertible {
    /// Parses a digest: `sha-256=` or `sha-512=` followed by the bytes in hexadecimal or base64, with or without
    /// colons.
    ///
    /// ```swift
    /// let digest = try ContentDigest("sha-256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    /// ```
    ///
    /// - Parameter text: The digest. The name of the algorithm is not case-sensitive, and its dash is optional.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the algorithm is unknown, the bytes cannot be decoded, or their
    ///   number does not match the algorithm.
    public init(_ text: String) throws(NetworkError) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard let equals = text.firstIndex(of: "="),
            let algorithm = Algorithm(named: String(text[..<equals]))
        else { throw Self.invalid(text, "does not begin with sha-256= or sha-512=") }
        var bytes = text[text.index(after: equals)...]
        if bytes.count >= 2, bytes.first == ":", bytes.last == ":" { bytes = bytes.dropFirst().dropLast() }
        let hexadecimal = Data(hexadecimal: bytes)
        guard let value = hexadecimal ?? Data(base64Encoded: String(bytes)) else {
            throw Self.invalid(text, "has bytes that are neither hexadecimal nor base64")
        }
        guard value.count == algorithm.length else {
            throw Self.invalid(text, "has \(value.count) bytes, but \(algorithm.rawValue) has \(algorithm.length)")
        }
        self.init(algorithm, value)
        isHexadecimal = hexadecimal != nil
    }

    private static func invalid(_ text: String, _ problem: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the digest \"\(VisibleText.line(String(text.prefix(150))))\" \(problem)",
                advice: "write sha-256= or sha-512= and the digest in hexadecimal or base64"
            )
        )
    }

    /// The digest in the notation of RFC 9530: `sha-256=:…:`.
    public var description: String { "\(algorithm.rawValue)=:\(value.base64EncodedString()):" }

    /// The bytes in hexadecimal, as command-line tools print them.
    public var hexadecimal: String { value.hexadecimal }

    /// Returns the digest in the same notation as another one.
    func text(like other: ContentDigest) -> String {
        other.isHexadecimal ? "\(algorithm.rawValue)=\(hexadecimal)" : description
    }
}

extension ContentDigest.Algorithm {
    /// The length of a digest in bytes.
    var length: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// - Parameter name: The name, not case-sensitive, with or without its dash.
    fileprivate init?(named name: String) {
        switch name.lowercased() {
        case "sha-256", "sha256": self = .sha256
        case "sha-512", "sha512": self = .sha512
        default: return nil
        }
    }
}

extension Data {
    fileprivate init?(hexadecimal text: Substring) {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.count, digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        self.init()
        for index in stride(from: 0, to: digits.count, by: 2) { append(UInt8(digits[index] * 16 + digits[index + 1])) }
    }
}

extension ContentDigest {
    /// Parses a `Repr-Digest` or `Content-Digest` field (RFC 9530), which is a structured dictionary (RFC 8941).
    ///
    /// Unknown or insecure algorithms and invalid values are ignored. If an algorithm occurs twice, the last value
    /// counts.
    ///
    /// - Parameter value: The field's value; several fields are joined by commas.
    static func parse(field value: String) -> [ContentDigest] {
        var digests: [Algorithm: ContentDigest] = [:]
        for member in value.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0]) else { continue }
            // Parameters are allowed, but none is defined.
            let item = parts[1].prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            guard item.count >= 2, item.first == ":", item.last == ":",
                let bytes = Data(base64Encoded: String(item.dropFirst().dropLast())), bytes.count == algorithm.length
            else {
                digests[algorithm] = nil
                continue
            }
            digests[algorithm] = ContentDigest(algorithm, bytes)
        }
        return Algorithm.allCases.compactMap { digests[$0] }
    }
}

extension ContentDigest: Codable {
    private enum CodingKeys: String, CodingKey {
        case algorithm
        case value
        case isHexadecimal
    }

    /// Decodes the representation that ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(Algorithm.self, forKey: .algorithm),
            try values.decode(Data.self, forKey: .value)
        )
        isHexadecimal = try values.decodeIfPresent(Bool.self, forKey: .isHexadecimal) ?? false
    }

    /// Encodes the algorithm, the bytes in base64, and whether the digest was written in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(algorithm, forKey: .algorithm)
        try values.encode(value, forKey: .value)
        if isHexadecimal { try values.encode(true, forKey: .isHexadecimal) }
    }
}

/// Computes digests of bytes that arrive in chunks.
struct DigestComputation {
    private var sha256: SHA256?
    private var sha512: SHA512?

    /// - Parameter algorithms: The algorithms to compute.
    init(_ algorithms: Set<ContentDigest.Algorithm>) {
        if algorithms.contains(.sha256) { sha256 = SHA256() }
        if algorithms.contains(.sha512) { sha512 = SHA512() }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bufferPointer: bytes)
        sha512?.update(bufferPointer: bytes)
    }

    /// Returns the digest of the bytes added so far; `nil` if the algorithm was not requested.
    func digest(_ algorithm: ContentDigest.Algorithm) -> ContentDigest? {
        switch algorithm {
        case .sha256: sha256.map { ContentDigest(.sha256, Data($0.finalize())) }
        case .sha512: sha512.map { ContentDigest(.sha512, Data($0.finalize())) }
        }
    }
}

extension ContentDigest {
    /// Returns the digest of bytes in memory.
    public static func of(_ bytes: Data, _ algorithm: Algorithm) -> ContentDigest {
        switch algorithm {
        case .sha256: ContentDigest(.sha256, Data(SHA256.hash(data: bytes)))
        case .sha512: ContentDigest(.sha512, Data(SHA512.hash(data: bytes)))
        }
    }
}
