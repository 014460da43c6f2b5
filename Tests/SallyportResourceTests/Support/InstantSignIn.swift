import Foundation
import SallyportJOSE
import SallyportOAuth
import SallyportResource

/// A sign-in that needs no person, and returns tokens for a user.
struct InstantSignIn: DeviceSignIn {
    /// The server at which the user is registered; `nil` for one that does not check users.
    var server: MockDeviceServer?
    var user = "alice"
    var accessToken = "user-1"
    var refreshToken: String?
    /// A Boolean value that indicates whether the tokens contain an id_token.
    var hasIdToken = true

    func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
        server?.add(user, to: client.clientID)
        var tokens = OAuthTokens(
            accessToken: accessToken,
            expiresAt: Date(timeIntervalSinceNow: 300),
            refreshToken: refreshToken
        )
        tokens.scope = scopes.joined(separator: " ")
        if hasIdToken {
            tokens.idToken = try JsonWebSignature.sign(["sub": .string(user)], with: .generate(.es256))
        }
        return tokens
    }
}
