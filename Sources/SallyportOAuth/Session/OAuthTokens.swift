import Foundation
import SallyportJOSE

/// The tokens that a server has issued to a client, with their scope and lifetime (RFC 6749, section 5.1).
///
/// Its description contains no token.
public struct OAuthTokens: Sendable, Equatable, Codable {
    /// The access token, which is sent with API requests.
    public var accessToken: String
    /// The type of the access token: `Bearer` or `DPoP`.
    public var tokenType: String
    /// The expiry of the access token; `nil` if the server did not state it.
    public var expiresAt: Date?
    /// The refresh token. The server may replace it at each refresh.
    public var refreshToken: String?
    /// The id_token (OpenID Connect) as it was received. It has been validated.
    public var idToken: String?
    /// The granted scopes, separated by spaces; the requested scopes if the server stated none.
    public var scope: String?
    /// The key that the tokens are bound to (RFC 9449).
    public var proofKey: SigningKey?

    /// Creates tokens.
    public init(
        accessToken: String,
        tokenType: String = "Bearer",
        expiresAt: Date? = nil,
        refreshToken: String? = nil,
        idToken: String? = nil,
        scope: String? = nil,
        proofKey: SigningKey? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.proofKey = proofKey
    }
}

extension OAuthTokens {
    /// The granted scopes; `nil` if they are unknown.
    package var scopes: [String]? { scope?.split(separator: " ").map(String.init) }

    /// Returns a copy with the previous value of each field that the server did not issue again.
    func completed(from previous: OAuthTokens) -> OAuthTokens {
        var tokens = self
        tokens.refreshToken = refreshToken ?? previous.refreshToken
        tokens.idToken = idToken ?? previous.idToken
        tokens.scope = scope ?? previous.scope
        tokens.proofKey = proofKey ?? previous.proofKey
        return tokens
    }

    /// Returns a Boolean value that indicates whether these and newer tokens may depend on the same grant at the server.
    ///
    /// They do if they have the same refresh token or belong to the same session at the server (`sid`, OpenID Connect
    /// Front-Channel Logout 1.0, section 3). If the server issued no new refresh token, the new tokens may still depend
    /// on the previous refresh token.
    func mayShareGrant(with new: OAuthTokens) -> Bool {
        guard let refreshToken else { return accessToken == new.accessToken }
        guard let newRefreshToken = new.refreshToken, refreshToken != newRefreshToken else { return true }
        guard let serverSession else { return false }
        return serverSession == new.serverSession
    }

    private var serverSession: String? {
        struct Claims: Decodable {
            var sid: String?
        }
        // A signed id_token has three parts, and was validated when it was received.
        guard let parts = idToken?.split(separator: "."), parts.count == 3,
            let payload = Base64Url.decode(String(parts[1]))
        else { return nil }
        return (try? JSONDecoder().decode(Claims.self, from: payload))?.sid
    }
}

extension OAuthTokens: CustomStringConvertible, CustomReflectable {
    /// The type and expiry, without any token.
    public var description: String { "\(tokenType) tokens" + (expiresAt.map { " until \($0)" } ?? "") }

    /// The same as ``description``, so that `dump` prints no token either.
    public var customMirror: Mirror { Mirror(self, children: ["tokens": description], displayStyle: .struct) }
}
