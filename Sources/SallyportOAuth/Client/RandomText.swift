import Crypto
import Foundation
import SallyportJOSE

/// Texts that nobody can guess.
enum RandomText {
    /// 256 random bits in base64url: 43 characters.
    static func make() -> String {
        Base64Url.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }
}
