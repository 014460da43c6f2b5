import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// Checks tokens without sending them.
enum TokenChecks {
    static func findings(_ tokens: OAuthTokens, _ profile: Profile, audience: String?, now: Date) -> [Finding] {
        var findings = [end(tokens, profile, now: now)]
        guard let claims = TokenText.claims(of: tokens.accessToken) else {
            return findings + [.good("The access token can be read only by its server.")]
        }
        let template = profile.issuerTemplate.flatMap(IssuerTemplate.init)
        if let issuer = claims["iss"]?.string, issuer != profile.issuer, template?.matches(issuer) != true {
            findings.append(
                .problem(
                    "The issuer of the access token is \(VisibleText.line(issuer, longest: 200)).",
                    "It should be \(profile.issuer). Log in again."
                )
            )
        }
        if let audience { findings.append(self.audience(claims, audience)) }
        if let start = (claims["nbf"] ?? claims["iat"])?.number, start > now.timeIntervalSince1970 + 30 {
            findings.append(
                .problem("The access token is not valid yet.", "The clock of this computer or of the server is wrong.")
            )
        }
        return findings
    }

    private static func end(_ tokens: OAuthTokens, _ profile: Profile, now: Date) -> Finding {
        guard let end = tokens.expiresAt else { return .good("The access token has no known expiration time.") }
        if end > now { return .good("The access token is valid until \(end.formatted(.iso8601)).") }
        if tokens.refreshToken != nil || profile.flow == .clientCredentials {
            return .good("The access token expired at \(end.formatted(.iso8601)); the next request refreshes it.")
        }
        return .problem(
            "The access token expired at \(end.formatted(.iso8601)).",
            "There is no refresh token. Log in again: sallyport login"
        )
    }

    private static func audience(_ claims: [String: JsonValue], _ audience: String) -> Finding {
        let named = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        if named.contains(audience) { return .good("The access token is for \(audience).") }
        let others =
            named.isEmpty ? "no audience" : VisibleText.line(named.joined(separator: ", "), longest: 200)
        return .problem(
            "The access token is for \(others), not for \(audience).",
            "Log in with --audience or --resource."
        )
    }
}
