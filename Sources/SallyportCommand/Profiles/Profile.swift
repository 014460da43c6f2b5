import Foundation
import SallyportJOSE
import SallyportOAuth

/// What is remembered of a login, so that it need not be said again: the server, the client, and what its tokens are for.
struct Profile: Codable, Sendable {
    var issuer: String
    var clientID: String
    var authentication = Authentication()
    var scopes: [String] = []
    /// How the tokens came, and come again where there is no refresh token.
    var flow: Flow
    /// The servers that may see the tokens. If there are none, it is the one whose URL stands beside `--auth`.
    var apis: [String] = []
    var audience: String?
    var resources: [String] = []
    var usesDPoP = false
    /// The file of the authorities to trust for the server, and no others.
    var authorities: String?
    var proxy: String?

    /// The ways to tokens.
    enum Flow: String, Codable, CaseIterable, Sendable {
        case browser
        case device
        case clientCredentials = "client-credentials"
        case exchange
    }

    /// How the client shows who it is.
    struct Authentication: Codable, Sendable {
        var method = "none"
        var secret: String?
        var key: SigningKey?
    }

    enum CodingKeys: String, CodingKey {
        case issuer
        case clientID = "client_id"
        case authentication
        case scopes
        case flow
        case apis
        case audience
        case resources
        case usesDPoP = "dpop"
        case authorities
        case proxy
    }
}

extension Profile {
    /// The client that its tokens are issued to.
    var identity: OAuthClientIdentity { OAuthClientIdentity(issuer: issuer, clientID: clientID) }

    /// Returns a Boolean value that indicates whether the tokens of both profiles are issued to the same client.
    func isSameClient(as other: Profile) -> Bool { identity == other.identity }
}

extension Profile.Authentication {
    /// The same for the client.
    ///
    /// - Throws: A failure for what the profile's file should not say.
    func value() throws(CommandFailure) -> ClientAuthentication {
        switch (method, secret, key) {
        case ("none", _, _): return .none
        case ("client_secret_basic", let secret?, _): return .secretBasic(secret)
        case ("client_secret_post", let secret?, _): return .secretPost(secret)
        case ("private_key_jwt", _, let key?): return .privateKeyJwt(key)
        default:
            throw CommandFailure(
                .unreadableInput,
                "the profile's client authentication \(method) lacks its secret; log in again"
            )
        }
    }
}
