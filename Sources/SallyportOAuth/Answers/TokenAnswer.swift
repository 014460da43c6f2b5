import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// A successful answer of a token endpoint (RFC 6749, section 5.1), checked.
struct TokenAnswer: Sendable {
    let members: [String: JsonValue]
    let accessToken: String
    /// `Bearer` or `DPoP`, or `N_A` where that is allowed.
    let tokenType: String
    /// How long the access token lives, in seconds.
    let lifetime: Double?

    /// The longest life that is believed: ten years.
    private static let longestLifetime = 315_360_000.0

    /// - Parameters:
    ///   - answer: What came.
    ///   - isBound: Whether a proof was sent, so that the token has to be bound to its key.
    ///   - isOther: Whether what was issued may be no access token (RFC 8693, section 2.2.1).
    init(_ answer: ServerAnswer, isBound: Bool, isOther: Bool = false) throws(OAuthError) {
        members = try answer.object(of: "the request for tokens")
        if members["error"] != nil { throw answer.refusal(of: "the request for tokens") }
        guard let token = members["access_token"]?.string, Self.canBeSent(token) else {
            throw answer.invalid("the answer has no access_token that could be sent")
        }
        accessToken = token
        switch members["token_type"]?.string?.lowercased() {
        case "bearer": tokenType = "Bearer"
        case "dpop" where isBound: tokenType = "DPoP"
        case "n_a" where isOther: tokenType = "N_A"
        case nil: throw answer.invalid("the answer has no token_type")
        default: throw answer.invalid("the token_type of the answer is none that was asked for")
        }
        if isBound, tokenType == "Bearer" {
            throw answer.invalid(
                "the server did not bind the tokens to the key of the proof (RFC 9449)",
                advice: SettingAdvice.noDPoP.rawValue
            )
        }
        lifetime = try Self.lifetime(members["expires_in"], in: answer)
    }

    var refreshToken: String? { text("refresh_token") }
    var idToken: String? { text("id_token") }
    var scope: String? { text("scope") }
    var issuedTokenType: String? { text("issued_token_type") }

    private func text(_ name: String) -> String? {
        members[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What may stand in a header (RFC 6750, section 2.1, and what servers make of it).
    private static func canBeSent(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// A number, or one that some servers write as a text.
    private static func lifetime(_ value: JsonValue?, in answer: ServerAnswer) throws(OAuthError) -> Double? {
        if value == nil || value == .null { return nil }
        guard let seconds = value?.number ?? value?.string.flatMap(Double.init), seconds.isFinite, seconds >= 0 else {
            throw answer.invalid("the expires_in of the answer is no number of seconds")
        }
        return min(seconds, longestLifetime)
    }
}

extension TokenAnswer {
    /// The tokens as they are kept, all but the id_token, which has still to be validated.
    func tokens(askedAt start: Date, scope: String?, proofKey: SigningKey?) -> OAuthTokens {
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
