import Crypto
import Foundation

extension Digest {
    /// The digest in lower-case hexadecimal.
    var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension SHA256.Digest {
    /// The digest in the format of a `Repr-Digest` field (RFC 9530).
    var fieldValue: String {
        "sha-256=:\(Data(self).base64EncodedString()):"
    }
}
