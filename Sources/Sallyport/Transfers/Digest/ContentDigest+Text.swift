import Foundation

extension ContentDigest: CustomStringConvertible {
    /// Reads a digest as people write it: `sha-256=` and the bytes in hexadecimal or base64, in colons or without.
    ///
    /// ```swift
    /// let digest = ContentDigest("sha-256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    /// ```
    ///
    /// - Returns: `nil` if the algorithm is not known, or the bytes are not as many as it gives.
    public init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard let equals = text.firstIndex(of: "="),
            let algorithm = Algorithm(named: String(text[..<equals]))
        else { return nil }
        self.init(algorithm, text: text[text.index(after: equals)...])
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

    private init?(_ algorithm: Algorithm, text: Substring) {
        var text = text
        if text.count >= 2, text.first == ":", text.last == ":" { text = text.dropFirst().dropLast() }
        let hexadecimal = Data(hexadecimal: text)
        guard let value = hexadecimal ?? Data(base64Encoded: String(text)), value.count == algorithm.length
        else { return nil }
        self.init(algorithm, value)
        isHexadecimal = hexadecimal != nil
    }
}

extension ContentDigest.Algorithm {
    /// How many bytes it gives.
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
