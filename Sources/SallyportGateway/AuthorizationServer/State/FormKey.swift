import Crypto
import Foundation
import SallyportJOSE

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
