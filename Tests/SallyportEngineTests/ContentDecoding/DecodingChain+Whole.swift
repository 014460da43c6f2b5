import SallyportTransport

@testable import SallyportEngine

extension DecodingChain {
    /// Creates a chain of the codings in a `Content-Encoding`.
    init(_ contentEncoding: String, adding codings: [ContentCoding] = [], limits: DecodingLimits = DecodingLimits())
        throws
    {
        self.init(
            try ContentCodings(adding: codings).applied(in: contentEncoding, passesUnsupported: false),
            limits: limits
        )
    }

    /// Decodes a whole body that arrives in pieces of the given sizes, of which the last repeats.
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
