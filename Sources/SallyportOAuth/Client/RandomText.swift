import Foundation
import SallyportJOSE

/// Texts that nobody can guess.
enum RandomText {
    /// 256 random bits in base64url: 43 characters.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64Url.encode(Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }
}
