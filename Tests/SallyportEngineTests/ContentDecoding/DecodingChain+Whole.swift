import SallyportTransport

@testable import SallyportEngine

extension DecodingChain {
    /// A chain of the codings that a `Content-Encoding` lists.
    init(_ contentEncoding: String, adding codings: [ContentCoding] = [], limits: DecodingLimits = DecodingLimits())
        throws
    {
        self.init(
            try ContentCodings(adding: codings).applied(in: contentEncoding, passesUnsupported: false),
            limits: limits
        )
    }

    /// Decodes a whole body that arrives in pieces of the given sizes, the last of which repeats.
    ///
    /// What comes before a failure is in `output`.
    mutating func decode(
        _ encoded: [UInt8],
        into output: inout [UInt8],
        pieces: [Int] = [.max]
    ) throws(DecodingFailure) {
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
