import Crypto
import Foundation
import SallyportJOSE

/// The PKCE verifier and challenge of one sign-in (RFC 7636): the authorization code can be exchanged only with the verifier.
///
/// Its description does not contain the verifier.
public struct CodeChallenge: Sendable, Equatable {
    /// The method that derives the challenge from the verifier; `plain` is not supported.
    public static let method = "S256"

    /// The verifier, which is sent when the code is exchanged (`code_verifier`).
    public let verifier: String

    /// Creates a challenge with a new random verifier (256 bits).
    public init() {
        verifier = RandomText.make()
    }

    /// Creates the challenge of an existing verifier, or returns `nil` if the verifier does not consist of 43 to 128 unreserved
    /// characters.
    public init?(verifier: String) {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(\.isUnreserved) else { return nil }
        self.verifier = verifier
    }

    /// The SHA-256 hash of the verifier in base64url, which is sent with the authorization request (`code_challenge`).
    public var challenge: String { Base64Url.encode(Data(SHA256.hash(data: Data(verifier.utf8)))) }
}

extension CodeChallenge: CustomStringConvertible, CustomReflectable {
    /// The challenge, which is not secret.
    public var description: String { "S256 challenge \(challenge)" }

    /// The same as ``description``, so that `dump` does not print the verifier either.
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge], displayStyle: .struct) }
}

/// Generates unguessable strings.
enum RandomText {
    /// Returns 256 random bits in base64url, which are 43 characters.
    static func make() -> String {
        Base64Url.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }
}
