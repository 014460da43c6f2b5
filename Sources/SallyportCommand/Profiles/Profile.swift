import Foundation
import SallyportJOSE
import SallyportJourney
import SallyportOAuth

/// The stored settings of a login: the server, the client, and the use of the tokens.
struct Profile: Codable, Sendable {
    var issuer: String
    var clientID: String
    var authentication = Authentication()
    var scopes: [String] = []
    /// The flow that obtained the tokens. It also replaces them if there is no refresh token.
    var flow: Flow
    /// The servers that the tokens may be sent to; if empty, the server of the URL that is used with `--auth`.
    var apis: [String] = []
    var audience: String?
    var resources: [String] = []
    var usesDPoP = false
    /// The accepted values of `token_type`; `none` accepts tokens without one. If it is `nil`, only `Bearer` is accepted.
    var tokenTypes: [String]?
    /// The allowed difference between clocks, in seconds.
    var clockSkew: Double?
    var issuerTemplate: String?
    /// The file with the only certificate authorities to trust for the server.
    var authorities: String?
    var proxy: String?
    /// The server and the tree of the flow ``Flow/journey``.
    var journey: JourneySettings?

    /// A flow that obtains tokens.
    enum Flow: String, Codable, CaseIterable, Sendable {
        case browser
        case device
        case clientCredentials = "client-credentials"
        case exchange
        case journey
    }

    /// A server with authentication trees, and the tree with which the user signs in.
    struct JourneySettings: Codable, Sendable {
        /// The URL of the server, such as `https://am.example.com/am`.
        var server: String
        /// The names of the realm and its parents, such as `alpha`.
        var realm = "root"
        /// The tree; `nil` if only the link of a suspended tree is known.
        var tree: String?
        /// The name of the cookie and the header field with the session.
        var sessionCookie = "iPlanetDirectoryPro"
        /// The redirect URI of the client, to which nothing is sent.
        var redirectURI = "http://127.0.0.1/callback"

        enum CodingKeys: String, CodingKey {
            case server
            case realm
            case tree
            case sessionCookie = "session_cookie"
            case redirectURI = "redirect_uri"
        }
    }

    /// The method by which the client authenticates to the server.
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
        case tokenTypes = "token_types"
        case clockSkew = "clock_skew"
        case issuerTemplate = "issuer_template"
        case authorities
        case proxy
        case journey
    }
}

extension Profile {
    /// The word among ``tokenTypes`` for tokens without a type.
    static let missingTokenType = "none"

    /// The client that the tokens are issued to.
    var identity: OAuthClientIdentity { OAuthClientIdentity(issuer: issuer, clientID: clientID) }

    /// Returns a Boolean value that indicates whether the tokens of both profiles are issued to the same client.
    func isSameClient(as other: Profile) -> Bool { identity == other.identity }
}

extension Profile.JourneySettings {
    /// Returns the settings for a journey.
    ///
    /// - Throws: ``JourneyError`` for the first setting that is invalid.
    func configuration(clientID: String, scopes: [String] = []) throws(JourneyError) -> JourneyConfiguration {
        var configuration = try JourneyConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            scope: scopes.joined(separator: " "),
            realmPath: realm,
            tree: tree,
            baseURL: server
        )
        configuration.cookieName = sessionCookie
        return configuration
    }

    /// Returns a Boolean value that indicates whether sessions of both settings belong to the same server and realm.
    func hasSameSessions(as other: Profile.JourneySettings?) -> Bool {
        server == other?.server && realm == other?.realm && sessionCookie == other?.sessionCookie
    }
}

extension Profile.Authentication {
    /// Returns the method for the OAuth client.
    ///
    /// - Throws: A failure if the profile's file is incomplete.
    func value() throws(CommandFailure) -> ClientAuthentication {
        switch (method, secret, key) {
        case ("none", _, _): return .none
        case ("client_secret_basic", let secret?, _): return .secretBasic(secret)
        case ("client_secret_post", let secret?, _): return .secretPost(secret)
        case ("private_key_jwt", _, let key?): return .privateKeyJwt(key)
        default:
            throw CommandFailure(
                .unreadableInput,
                "the profile's client authentication \(method) has no secret; log in again"
            )
        }
    }
}
