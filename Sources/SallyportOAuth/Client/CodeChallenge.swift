import Crypto
import Foundation
import SallyportJOSE

/// The proof key of one sign-in (RFC 7636): only who has the verifier can turn the code into tokens. Printing it does not show it.
public struct CodeChallenge: Sendable, Equatable {
    /// How the challenge is made of the verifier; `plain` is not offered.
    public static let method = "S256"

    /// Kept until the code is exchanged, and sent with it then (`code_verifier`).
    public let verifier: String

    /// A new one, of 32 random bytes.
    public init() {
        verifier = RandomText.make()
    }

    /// The challenge of a verifier that was made earlier.
    ///
    /// - Returns: `nil` if the verifier is not 43 to 128 of the characters that are allowed in it.
    public init?(verifier: String) {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(\.isUnreserved) else { return nil }
        self.verifier = verifier
    }

    /// Sent with the request for a code (`code_challenge`): the SHA-256 of the verifier.
    public var challenge: String { Base64Url.encode(Data(SHA256.hash(data: Data(verifier.utf8)))) }
}

extension CodeChallenge: CustomStringConvertible, CustomReflectable {
    /// The challenge, which is no secret.
    public var description: String { "S256 challenge \(challenge)" }

    /// The same as ``description``, so that dumping does not show the verifier either.
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge], displayStyle: .struct) }
}

/// Texts that nobody can guess.
enum RandomText {
    /// 256 random bits in base64url: 43 characters.
    static func make() -> String {
        Base64Url.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }
}
