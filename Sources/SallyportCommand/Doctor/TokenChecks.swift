import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// What is wrong with tokens, as far as it can be seen without sending them.
enum TokenChecks {
    static func findings(_ tokens: OAuthTokens, _ profile: Profile, audience: String?, now: Date) -> [Finding] {
        var findings = [end(tokens, profile, now: now)]
        guard let claims = TokenText.claims(of: tokens.accessToken) else {
            return findings + [.good("The access token is for its server alone to read.")]
        }
        if let issuer = claims["iss"]?.string, issuer != profile.issuer {
            findings.append(
                .problem(
                    "The access token is of \(VisibleText.line(issuer, longest: 200)).",
                    "It should be of \(profile.issuer): log in again."
                )
            )
        }
        if let audience { findings.append(self.audience(claims, audience)) }
        if let start = (claims["nbf"] ?? claims["iat"])?.number, start > now.timeIntervalSince1970 + 30 {
            findings.append(
                .problem("The access token is not valid yet.", "A clock is wrong: this computer's or the server's.")
            )
        }
        return findings
    }

    private static func end(_ tokens: OAuthTokens, _ profile: Profile, now: Date) -> Finding {
        guard let end = tokens.expiresAt else { return .good("The access token has no end that is known.") }
        if end > now { return .good("The access token is good until \(end.formatted(.iso8601)).") }
        if tokens.refreshToken != nil || profile.flow == .clientCredentials {
            return .good("The access token ended \(end.formatted(.iso8601)); the next call brings a new one.")
        }
        return .problem(
            "The access token ended \(end.formatted(.iso8601)).",
            "There is no refresh token: sallyport login"
        )
    }

    private static func audience(_ claims: [String: JsonValue], _ audience: String) -> Finding {
        let named = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        if named.contains(audience) { return .good("The access token is for \(audience).") }
        let others =
            named.isEmpty ? "nobody in particular" : VisibleText.line(named.joined(separator: ", "), longest: 200)
        return .problem(
            "The access token is for \(others), not for \(audience).",
            "Log in with --audience or --resource."
        )
    }
}
