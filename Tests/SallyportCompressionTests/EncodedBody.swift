#if Compression && os(Linux)

import Foundation
import Testing

/// An encoded body and its decoded bytes. The bodies were created with Python's brotli and zstandard.
struct EncodedBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let coding: String
    let decoded: [UInt8]
    let encoded: [UInt8]

    init(_ description: String, coding: String, decoded: [UInt8], base64: String) {
        testDescription = description
        self.coding = coding
        self.decoded = decoded
        encoded = Data(base64Encoded: base64, options: .ignoreUnknownCharacters).map(Array.init) ?? []
    }
}

#endif
