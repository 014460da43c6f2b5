import Foundation
import Testing

/// An encoded body and its decoded bytes.
struct EncodedBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encoding: String
    let decoded: [UInt8]
    let encoded: [UInt8]

    static let short = gzip + deflate

    init(_ description: String, encoding: String, decoded: [UInt8], base64: String) {
        testDescription = description
        self.encoding = encoding
        self.decoded = decoded
        encoded = Data(base64Encoded: base64, options: .ignoreUnknownCharacters).map(Array.init) ?? []
    }
}
