import Foundation

extension ContentDigest: Codable {
    private enum CodingKeys: String, CodingKey {
        case algorithm
        case value
        case isHexadecimal
    }

    /// Reads what ``encode(to:)`` has written.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(Algorithm.self, forKey: .algorithm),
            try values.decode(Data.self, forKey: .value)
        )
        isHexadecimal = try values.decodeIfPresent(Bool.self, forKey: .isHexadecimal) ?? false
    }

    /// Writes the algorithm, and the bytes in base64, and whether they were read in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(algorithm, forKey: .algorithm)
        try values.encode(value, forKey: .value)
        if isHexadecimal { try values.encode(true, forKey: .isHexadecimal) }
    }
}
