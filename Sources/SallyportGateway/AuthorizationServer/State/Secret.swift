import Crypto
import Foundation
import SallyportJOSE

/// Generates random secrets and identifiers.
enum Secret {
    /// Returns 256 random bits.
    static func bytes() -> Data { SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    /// Returns 256 random bits in base64url.
    static func random() -> String { Base64Url.encode(bytes()) }

    /// Returns an identifier of 128 random bits in base64url.
    static func randomName() -> String {
        Base64Url.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) })
    }
}

/// The SHA-256 hash of a random secret, which is stored instead of the secret.
///
/// It is safe as the key of a table: the duration of a lookup reveals nothing about the secret.
struct SecretHash: Hashable, Sendable {
    private let digest: Data

    init(_ secret: String) {
        digest = Data(SHA256.hash(data: Data(secret.utf8)))
    }
}

/// Creates and verifies the tokens of forms, which protect against cross-site request forgery.
///
/// A token is valid only in the browser that the form was sent to.
struct FormKey: Sendable {
    private let key = SymmetricKey(size: .bits256)

    /// Returns the token for a form.
    ///
    /// - Parameters:
    ///   - subject: The value that the form's token is valid for, such as the identifier of an authorization.
    ///   - cookie: The cookie of the browser that the form is sent to.
    func token(for subject: String, cookie: String) -> String {
        Base64Url.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(cookie)\n\(subject)".utf8), using: key)))
    }

    /// Returns a Boolean value that indicates whether a token is valid for a subject and a cookie.
    func accepts(_ token: String?, for subject: String, cookie: String?) -> Bool {
        guard let token, let cookie, !cookie.isEmpty else { return false }
        return ConstantTime.areEqual(token.utf8, self.token(for: subject, cookie: cookie).utf8)
    }
}
