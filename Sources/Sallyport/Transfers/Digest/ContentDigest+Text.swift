import Foundation
import SallyportTransport

extension ContentDigest: CustomStringConvertible {
    /// Reads a digest as people write it: `sha-256=` and the bytes in hexadecimal or base64, with or without colons.
    ///
    /// ```swift
    /// let digest = try ContentDigest("sha-256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    /// ```
    ///
    /// - Parameter text: The digest. The algorithm is `sha-256` or `sha-512`, in any case, with or without the dash.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the algorithm is unknown, or the bytes cannot be decoded or are
    ///   not as many as the algorithm gives. A mistyped digest is never ignored.
    public init(_ text: String) throws(NetworkError) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard let equals = text.firstIndex(of: "="),
            let algorithm = Algorithm(named: String(text[..<equals]))
        else { throw Self.refusal(text, "does not begin with sha-256= or sha-512=") }
        var bytes = text[text.index(after: equals)...]
        if bytes.count >= 2, bytes.first == ":", bytes.last == ":" { bytes = bytes.dropFirst().dropLast() }
        let hexadecimal = Data(hexadecimal: bytes)
        guard let value = hexadecimal ?? Data(base64Encoded: String(bytes)) else {
            throw Self.refusal(text, "has bytes that are neither hexadecimal nor base64")
        }
        guard value.count == algorithm.length else {
            throw Self.refusal(text, "has \(value.count) bytes, and \(algorithm.rawValue) gives \(algorithm.length)")
        }
        self.init(algorithm, value)
        isHexadecimal = hexadecimal != nil
    }

    private static func refusal(_ text: String, _ problem: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the digest \"\(VisibleText.line(String(text.prefix(150))))\" \(problem)",
                advice: "write sha-256= or sha-512= and the digest in hexadecimal or base64"
            )
        )
    }

    /// The digest as RFC 9530 writes it: `sha-256=:…:`.
    public var description: String { "\(algorithm.rawValue)=:\(value.base64EncodedString()):" }

    /// The bytes in hexadecimal, as command-line tools print them.
    public var hexadecimal: String {
        value.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    /// The digest in the form in which another one was written.
    func words(like other: ContentDigest) -> String {
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

    /// - Parameter name: In any case, with or without its dash.
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
