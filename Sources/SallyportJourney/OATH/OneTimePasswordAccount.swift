import Crypto
import Foundation
import SallyportTransport

/// An account with one-time passwords, based on the time (TOTP, RFC 6238) or on a counter (HOTP, RFC 4226).
///
/// ``OneTimePasswords/add(_:)`` creates it. Its description contains no secret.
public struct OneTimePasswordAccount: Sendable, Codable, Identifiable {
    /// The moving factor of the passwords.
    public enum Factor: Sendable, Codable, Hashable {
        /// A password is valid for a period, in seconds.
        case time(period: Int)
        /// Each password has a counter. The associated value is the counter of the next password.
        case counter(UInt64)
    }

    /// The hash algorithm.
    public enum Algorithm: String, Sendable, Codable, CaseIterable {
        /// HMAC with SHA-1, the default of RFC 4226 and RFC 6238.
        case sha1 = "SHA1"
        /// HMAC with SHA-256.
        case sha256 = "SHA256"
        /// HMAC with SHA-512.
        case sha512 = "SHA512"
    }

    /// The identifier of the account in its store.
    public let id: String
    /// The issuer, such as a company; empty if the URI stated none.
    public let issuer: String
    /// The name of the account at the issuer.
    public let account: String
    /// The hash algorithm.
    public let algorithm: Algorithm
    /// The number of digits of a password: 6 or 8.
    public let digits: Int
    /// The moving factor of the passwords.
    public internal(set) var factor: Factor

    let secret: Data
}

extension OneTimePasswordAccount {
    /// Creates an account from a URI, `otpauth://` or `mfauth://` of the type `totp` or `hotp`.
    init(_ text: String) throws(MechanismError) {
        let uri = try MechanismURI(text) { scheme, type in
            ["otpauth", "mfauth"].contains(scheme) && ["totp", "hotp"].contains(type)
        }
        guard let secret = Base32.decode(try uri.text("secret")), (1...128).contains(secret.count) else {
            throw MechanismError(
                .invalidParameter("secret"),
                "the parameter secret of the URI is not base32 of 1 to 128 bytes"
            )
        }
        try MechanismError.checkStrength(of: secret)
        guard let algorithm = Algorithm(rawValue: (uri["algorithm"] ?? "SHA1").uppercased()) else {
            throw MechanismError(
                .invalidParameter("algorithm"),
                "the algorithm in the URI is not SHA1, SHA256 or SHA512"
            )
        }
        guard let digits = Int(uri["digits"] ?? "6"), [6, 8].contains(digits) else {
            throw MechanismError(.invalidParameter("digits"), "the number of digits in the URI is not 6 or 8")
        }
        if uri.type == "totp" {
            guard let period = Int(uri["period"] ?? "30"), (1...3600).contains(period) else {
                throw MechanismError(
                    .invalidParameter("period"),
                    "the period in the URI is not a number of seconds from 1 to 3,600"
                )
            }
            factor = .time(period: period)
        } else {
            guard let counter = UInt64(uri["counter"] ?? "0") else {
                throw MechanismError(.invalidParameter("counter"), "the counter in the URI is not a number")
            }
            factor = .counter(counter)
        }
        id = UUID().uuidString
        issuer = uri.issuer
        account = uri.account
        self.algorithm = algorithm
        self.digits = digits
        self.secret = secret
    }

    /// Returns the password for a value of the moving factor (RFC 4226, section 5.3).
    func password(_ factor: UInt64) -> String {
        let message = withUnsafeBytes(of: factor.bigEndian) { Data($0) }
        let code = [UInt8](authenticationCode(for: message))
        let offset = Int(code[code.count - 1] & 0x0F)
        let number = code[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(1) { power, _ in power * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    private func authenticationCode(for message: Data) -> Data {
        let key = SymmetricKey(data: secret)
        return switch algorithm {
        // RFC 4226 requires SHA-1. Its weakness does not affect HMAC.
        case .sha1: Data(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha512: Data(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }
}

extension OneTimePasswordAccount: CustomStringConvertible, CustomReflectable {
    /// The account and the issuer, safe to show on one line.
    public var description: String {
        VisibleText.line(issuer.isEmpty ? account : "\(account) at \(issuer)", longest: 300)
    }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["account": description], displayStyle: .struct) }
}

/// Base32 (RFC 4648, section 6), as the secrets of one-time passwords are written.
enum Base32 {
    /// Decodes text in any case. Spaces and hyphens, which separate groups, and padding at the end are ignored.
    ///
    /// - Returns: The bytes; `nil` for other characters, and for a length that no number of bytes has.
    static func decode(_ text: String) -> Data? {
        var bytes = Data()
        var buffer: UInt32 = 0
        var bits = 0
        let letters = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        let unpadded = letters.prefix { $0 != UInt8(ascii: "=") }
        guard letters.dropFirst(unpadded.count).allSatisfy({ $0 == UInt8(ascii: "=") }),
            ![1, 3, 6].contains(unpadded.count % 8)
        else { return nil }
        for letter in unpadded {
            guard let value = value(of: letter) else { return nil }
            buffer = (buffer << 5 | value) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(letter - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
