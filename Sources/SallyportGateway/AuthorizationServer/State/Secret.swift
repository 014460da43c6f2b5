import Crypto
import Foundation
import SallyportJOSE

/// Values that only their owner can know.
enum Secret {
    /// A new value of 256 random bits, in base64url.
    static func random() -> String {
        Base64Url.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }

    /// A new name of 128 random bits, in base64url.
    static func randomName() -> String {
        Base64Url.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) })
    }
}

/// What is kept in place of a secret of enough random bits: its SHA-256. Finding it by a guess tells nothing of the guess.
struct SecretHash: Hashable, Sendable {
    private let digest: Data

    init(_ secret: String) {
        digest = Data(SHA256.hash(data: Data(secret.utf8)))
    }
}

extension String {
    /// Compares secrets, which takes the same time wherever they differ.
    func isSameSecret(as other: String) -> Bool {
        SHA256.hash(data: Data(utf8)) == SHA256.hash(data: Data(other.utf8))
    }
}
/// Makes the token that a form carries, so that only a page of this server, shown in the same browser, can be answered.
struct FormKey: Sendable {
    private let key = SymmetricKey(size: .bits256)

    /// The token for a form about something, in the browser that has the cookie.
    func token(for subject: String, cookie: String) -> String {
        Base64Url.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(cookie)\n\(subject)".utf8), using: key)))
    }

    /// Whether it is that token.
    func accepts(_ token: String?, for subject: String, cookie: String?) -> Bool {
        guard let token, let cookie, !cookie.isEmpty else { return false }
        return token.isSameSecret(as: self.token(for: subject, cookie: cookie))
    }
}
