import SallyportEngine

extension ContentDecoder {
    /// Decodes a whole body that arrives in pieces of the given sizes, the last of which repeats.
    static func decode(
        _ encoded: [UInt8],
        encoding: String,
        limits: DecodingLimits = DecodingLimits(),
        pieces: [Int] = [.max]
    ) throws(ContentDecodingError) -> [UInt8] {
        guard var decoder = ContentDecoder(encoding: encoding, limits: limits) else {
            throw .malformed(reason: "the test asks for the unknown coding \(encoding)")
        }
        var output: [UInt8] = []
        var rest = encoded[...]
        var sizes = pieces[...]
        while !rest.isEmpty {
            let size = sizes.count > 1 ? sizes.removeFirst() : sizes.first ?? .max
            try decoder.decode([UInt8](rest.prefix(size)), into: &output)
            rest = rest.dropFirst(size)
        }
        try decoder.finish()
        return output
    }

    mutating func decode(_ piece: [UInt8], into output: inout [UInt8]) throws(ContentDecodingError) {
        let result = piece.withUnsafeBytes { bytes in
            Result { () throws(ContentDecodingError) in try decode(bytes, into: &output) }
        }
        try result.get()
    }
}
