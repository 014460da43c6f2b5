import Crypto
import Foundation

/// The secret of a generator of one-time passwords (HOTP, RFC 4226; TOTP, RFC 6238).
struct OneTimePasswordSecret: Sendable {
    /// The hash function of the codes.
    enum Algorithm: String, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    let secret: Data
    let algorithm: Algorithm
    /// The number of digits of a code.
    let digits: Int

    /// Returns the code for a counter (RFC 4226, section 5.3).
    func code(_ counter: UInt64) -> String {
        let message = withUnsafeBytes(of: counter.bigEndian) { Data($0) }
        let key = SymmetricKey(data: secret)
        let hash =
            switch algorithm {
            case .sha1: Data(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha512: Data(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        let offset = Int(hash[hash.count - 1] & 0x0F)
        let number = hash[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        let code = String(number % modulus)
        return String(repeating: "0", count: digits - code.count) + code
    }

    /// The secret in Base32 without padding (RFC 4648, section 6).
    var base32: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var text = ""
        var buffer: UInt32 = 0
        var bits = 0
        for byte in secret {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
        return text
    }
}
