import Crypto
import Foundation

/// The one-step key derivation of NIST SP 800-56A with SHA-256 (RFC 7518, section 4.6.2).
enum ConcatKDF {
    static func derive(from secret: Data, information: Data, length: Int) -> Data {
        var derived = Data()
        var counter: UInt32 = 1
        while derived.count < length {
            derived += SHA256.hash(data: Data(bigEndian: counter) + secret + information)
            counter += 1
        }
        return derived.prefix(length)
    }
}

extension Data {
    /// The number in four bytes.
    init(bigEndian number: UInt32) { self = Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) } }

    /// The length in four bytes, and the bytes.
    init(length bytes: Data) { self = Data(bigEndian: UInt32(bytes.count)) + bytes }
}
