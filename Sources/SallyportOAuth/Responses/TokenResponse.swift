import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// A successful response of a token endpoint (RFC 6749, section 5.1) that has been checked.
struct TokenResponse: Sendable {
    let members: [String: JsonValue]
    let accessToken: String
    /// `Bearer` or `DPoP`, or `N_A` if that is allowed.
    let tokenType: String
    /// The lifetime of the access token in seconds.
    let lifetime: Double?

    /// The maximum lifetime in seconds (ten years). Longer lifetimes are shortened to it.
    private static let maximumLifetime = 315_360_000.0

    /// Checks a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - configuration: The settings of the client.
    ///   - isBound: A Boolean value that indicates whether the request had a proof. If so, the token must be bound to its key.
    ///   - allowsOtherTokens: A Boolean value that indicates whether the issued token may be something other than an access
    ///     token (RFC 8693, section 2.2.1).
    init(
        _ response: OAuthResponse,
        for configuration: OAuthClientConfiguration,
        isBound: Bool,
        allowsOtherTokens: Bool = false
    ) throws(OAuthError) {
        members = try response.object(of: "the request for tokens")
        guard let token = members["access_token"]?.string, Self.isValid(token) else {
            throw response.invalid("the response has no valid access_token")
        }
        accessToken = token
        let type = members["token_type"]?.string ?? ""
        switch type.lowercased() {
        case "dpop" where isBound: tokenType = "DPoP"
        case "n_a" where allowsOtherTokens: tokenType = "N_A"
        case "bearer": tokenType = "Bearer"
        case "" where configuration.acceptsMissingTokenType: tokenType = "Bearer"
        case let other where configuration.acceptedTokenTypes.contains { $0.lowercased() == other }:
            tokenType = "Bearer"
        case "":
            throw response.invalid("the response has no token_type", advice: SettingAdvice.missingTokenType.rawValue)
        default:
            throw response.invalid(
                "the token_type of the response is \"\(SanitizedText.make(from: type))\", which was not requested",
                advice: SettingAdvice.otherTokenType.rawValue
            )
        }
        if isBound, tokenType == "Bearer" {
            throw response.invalid(
                "the server did not bind the tokens to the key of the proof (RFC 9449)",
                advice: SettingAdvice.noDPoP.rawValue
            )
        }
        lifetime = try Self.lifetime(in: response)
    }

    var refreshToken: String? { text("refresh_token") }
    var idToken: String? { text("id_token") }
    var scope: String? { text("scope") }
    var issuedTokenType: String? { text("issued_token_type") }

    private func text(_ name: String) -> String? {
        members[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns `true` for a token of characters that a header field may contain. Some servers issue tokens with more
    /// characters than RFC 6750, section 2.1 allows.
    private static func isValid(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func lifetime(in response: OAuthResponse) throws(OAuthError) -> Double? {
        guard let seconds = try response.seconds("expires_in") else { return nil }
        guard seconds >= 0 else {
            throw response.invalid("the expires_in of the response is not a number of seconds")
        }
        return min(seconds, maximumLifetime)
    }

    /// Returns the tokens without the id_token, which has not been validated yet.
    ///
    /// - Parameters:
    ///   - start: The time of the request.
    ///   - scope: The requested scopes, which are granted if the response states none.
    ///   - proofKey: The key that the tokens are bound to.
    func tokens(requestedAt start: Date, scope: String?, proofKey: SigningKey?) -> OAuthTokens {
        OAuthTokens(
            accessToken: accessToken,
            tokenType: tokenType,
            expiresAt: lifetime.map { start.addingTimeInterval($0) },
            refreshToken: refreshToken,
            scope: self.scope ?? scope,
            proofKey: proofKey
        )
    }
}
