import SallyportEngine
import SallyportTransport

@testable import SallyportEngine

extension ContentDecoder {
    init(encoding: String) {
        self = encoding == "gzip" ? .gzip : .deflate
    }

    /// Decodes a complete body that arrives in pieces of the given sizes, of which the last repeats.
    static func decode(
        _ encoded: [UInt8],
        encoding: String,
        pieces: [Int] = [.max],
        upTo limit: Int = 1 << 16
    ) throws(ContentDecodingError) -> [UInt8] {
        var decoder = ContentDecoder(encoding: encoding)
        var output: [UInt8] = []
        for piece in encoded.split(intoPieces: pieces) { try decoder.decode(piece, into: &output, upTo: limit) }
        try decoder.finish()
        return output
    }

    mutating func decode(
        _ piece: [UInt8],
        into output: inout [UInt8],
        upTo limit: Int = 1 << 16
    ) throws(ContentDecodingError) {
        var input = piece[...]
        while true {
            let decoded = try decode(&input, upTo: limit)
            if decoded.isEmpty { return }
            output += decoded
        }
    }
}

extension [UInt8] {
    /// Returns pieces of the given sizes, of which the last repeats.
    func split(intoPieces sizes: [Int]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = self[...]
        var sizes = sizes[...]
        while !rest.isEmpty {
            let size = sizes.count > 1 ? sizes.removeFirst() : sizes.first ?? .max
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

extension DecodingChain {
    /// Creates a chain of the codings in a `Content-Encoding`.
    init(_ contentEncoding: String, adding codings: [ContentCoding] = [], maximumSize: Int? = nil) throws {
        self.init(
            try ContentCodings(adding: codings).applied(in: contentEncoding, passesUnsupported: false),
            maximumSize: maximumSize
        )
    }

    /// Decodes a complete body that arrives in pieces of the given sizes, of which the last repeats.
    ///
    /// `output` contains the bytes decoded before a failure.
    mutating func decode(
        _ encoded: [UInt8],
        into output: inout [UInt8],
        pieces: [Int] = [.max]
    ) throws(ContentDecodingFailure) {
        for piece in encoded.split(intoPieces: pieces) {
            append(piece)
            while true {
                let decoded = try next()
                if decoded.isEmpty { break }
                output += decoded
            }
        }
        try finish()
    }
}
