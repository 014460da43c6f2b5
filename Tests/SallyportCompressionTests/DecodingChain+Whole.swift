#if Compression && os(Linux)

import SallyportCompression
import SallyportTransport

@testable import SallyportEngine

extension DecodingChain {
    /// Creates a chain of the codings that a `Content-Encoding` lists.
    init(_ contentEncoding: String, maximumSize: Int? = nil) throws {
        let codings = try ContentCodings(adding: [.brotli, .zstandard])
        self.init(try codings.applied(in: contentEncoding, passesUnsupported: false), maximumSize: maximumSize)
    }

    /// Decodes a complete body that arrives in chunks of one size, and passes the decoded bytes to a closure.
    mutating func decode(
        _ encoded: [UInt8],
        inPiecesOf size: Int = .max,
        take: ([UInt8]) -> Void
    ) throws(ContentDecodingFailure) {
        var rest = encoded[...]
        while !rest.isEmpty {
            append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            while true {
                let decoded = try next()
                if decoded.isEmpty { break }
                take(decoded)
            }
        }
        try finish()
    }
}

/// Decodes a complete body that arrives in chunks of one size.
func decode(_ encoded: [UInt8], from contentEncoding: String, inPiecesOf size: Int = .max) throws -> [UInt8] {
    var chain = try DecodingChain(contentEncoding)
    var output: [UInt8] = []
    try chain.decode(encoded, inPiecesOf: size) { output += $0 }
    return output
}

/// Returns the error for a body, or `nil` if it can be decoded.
func refusal(of encoded: [UInt8], from contentEncoding: String, inPiecesOf size: Int = .max) -> ContentDecodingError? {
    do {
        _ = try decode(encoded, from: contentEncoding, inPiecesOf: size)
        return nil
    } catch {
        return (error as? ContentDecodingFailure)?.error
    }
}

#endif
